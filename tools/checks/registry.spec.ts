import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#config';
import { apps, serviceNames } from '#contracts';
import { settingsOf } from './settings-table.js';

// The specs containers, manifests and monitoring compare Compose, manifests and alerts with the
// table of apps
describe('the table of apps', () => {
  const names = Object.keys(apps).sort();

  it('has exactly the folders of apps', () => {
    const folders = readdirSync(projectPath('apps'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual(names);
  });

  it('has the projects of nest-cli.json with their paths', () => {
    const { projects } = JSON.parse(readFileSync(projectPath('nest-cli.json'), 'utf8')) as {
      projects: Record<string, object>;
    };
    const expected = names.map((app) => {
      const root = `apps/${app}`;
      return [app, { type: 'application', root, entryFile: 'main', sourceRoot: `${root}/src` }];
    });
    expect(projects).toEqual(Object.fromEntries(expected));
  });

  it('has every program with documented settings except npm start and sandbox', () => {
    const others = ['npm start', 'sandbox'];
    expect(Object.keys(settingsOf).sort()).toEqual([...names, ...others].sort());
  });
});

it.each(serviceNames)('the list of migrations of %s has every file of its folder, oldest first', (service) => {
  const folder = projectPath('apps', service, 'src/migrations');
  const files = readdirSync(folder).filter((name) => /^\d{8}T\d{6}-/.test(name) && !name.endsWith('.spec.ts'));
  const imported = readFileSync(join(folder, 'index.ts'), 'utf8').matchAll(/from '\.\/(\d.*)\.js'/g);
  expect([...imported].map(([, name]) => `${name}.ts`)).toEqual(files.sort());
});
