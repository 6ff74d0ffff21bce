import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const templates = fileURLToPath(new URL('template', import.meta.url));

/** Adds the files of the template, which has the folder structure of the project. */
export function addFiles(changes, names) {
  const render = (text) => text.replaceAll(/__(?:[a-z]+|Name|epochMs)__/g, (placeholder) => names[placeholder]);
  for (const entry of readdirSync(templates, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    changes.add(render(relative(templates, file)).replace(/\.template$/, ''), render(readFileSync(file, 'utf8')));
  }
}

/**
 * Registers the app in all tables of services in code and documents: apps, events, messages,
 * migrations, settings.
 */
export function editCode(changes, { __name__: name, __variable__: variable }) {
  const contracts = 'libs/contracts/src';
  const schema = name.replaceAll('-', '_');
  const row = `  '${name}': { kind: 'service', schema: '${schema}', calls: [], publishesTo: [] },`;
  const table = `${contracts}/apps.mjs`;
  changes.replace(table, /(const services = .*?)(\n\}\);)/gs, (_, rows, end) => `${rows}\n${row}${end}`);
  const append = (_, before, list, after) => `${before}${list}${list.trim() === '' ? '' : ', '}'${name}'${after}`;
  changes.replace(table, /(\n {2}catalog: \{.*?publishesTo: \[)(.*?)(\])/gs, append);
  changes.replace(`${contracts}/events.ts`, /(\n {2}'sale\.recorded': \[)(.*?)(\])/gs, append);

  const messages = `${contracts}/messages/index.ts`;
  changes.insertAfterLast(messages, /^import .*Messages/, `import { ${variable}Messages } from './${name}.js';`);
  changes.insertAfterLast(messages, /^export \* from/, `export * from './${name}.js';`);
  changes.insertAfterLast(messages, /^ {2}\S+: \w+Messages,$/, `  '${name}': ${variable}Messages,`);
  changes.editJson(`${contracts}/compatibility.json`, ({ events, ...services }) => ({
    ...services,
    [name]: ['health.check', 'purchases.count'],
    events,
  }));

  const migrations = `  '${name}': () => import('./${name}/src/migrations/index.js'),`;
  changes.insertAfterLast('apps/migrations.ts', /^ {2}\S+: \(\) => import\(/, migrations);
  changes.editJson('nest-cli.json', ({ projects, ...rest }) => {
    const root = `apps/${name}`;
    const project = { type: 'application', root, entryFile: 'main', sourceRoot: `${root}/src` };
    return { ...rest, projects: { ...projects, [name]: project } };
  });
  changes.replace('docs/settings.md', /^\| `TIME_ZONE` .*$/gm, (row) => {
    const [start, setting, type, fallback, readers, ...rest] = row.split('|');
    return [start, setting, type, fallback, `${readers.trimEnd()}, ${name}`, ...rest].join('|');
  });
}
