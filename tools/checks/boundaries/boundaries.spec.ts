import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectPath, projectRoot } from '#config';
import { furtherViolations, circleBack, validFiles, packages, violationByRule } from './planted.js';

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

const rules = createRequire(import.meta.url)('./rules.cjs') as { name: string }[];

/** Returns the violations in a folder, found by the command of `npm run lint`. */
function violations(folder: string): Violation[] {
  const program = projectPath('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = projectPath('.dependency-cruiser.cjs');
  const run = spawnSync(process.execPath, [program, 'apps', 'libs', 'tools', '--config', config, '-T', 'json'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (!run.stdout) throw new Error(run.stderr);
  return (JSON.parse(run.stdout) as { summary: { violations: Violation[] } }).summary.violations;
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function writeTestFiles(folder: string): void {
  write(folder, 'tsconfig.json', '{ "compilerOptions": { "module": "nodenext" } }');
  write(folder, 'package.json', '{ "type": "module" }');
  for (const name of packages) {
    write(
      folder,
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', main: 'dist/index.js' }),
    );
    write(folder, `node_modules/${name}/dist/index.js`, '');
  }
  for (const file of validFiles) write(folder, file, 'export const it = 1;\n');
  for (const { file, imports } of [...Object.values(violationByRule), ...furtherViolations, circleBack])
    write(folder, file, `import * as it from '${imports}';\nexport const planted = it;\n`);
}

describe('the import rules', () => {
  it('hold in this project', () => {
    expect(violations(projectRoot)).toEqual([]);
  }, 60_000);

  describe('on test violations', () => {
    let found: Violation[];
    const folder = mkdtempSync(join(tmpdir(), 'boundaries-'));

    beforeAll(() => {
      writeTestFiles(folder);
      found = violations(folder);
    }, 60_000);
    afterAll(() => rmSync(folder, { recursive: true }));

    it('has a test violation for every rule', () => {
      expect(Object.keys(violationByRule).sort()).toEqual(rules.map(({ name }) => name).sort());
    });

    it.each(Object.entries(violationByRule))('%s reports its violation', (rule, { file }) => {
      expect(found.filter(({ from }) => from === file).map((it) => it.rule.name)).toContain(rule);
    });

    it.each(furtherViolations)('$rule reports $imports in $file', ({ rule, file }) => {
      expect(found.filter(({ from }) => from === file).map((it) => it.rule.name)).toContain(rule);
    });

    it('reports nothing in valid files', () => {
      expect(found.filter(({ from }) => validFiles.includes(from))).toEqual([]);
    });
  });
});
