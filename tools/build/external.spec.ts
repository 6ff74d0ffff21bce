import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { projectPath } from '#config';
import { external } from '../bundle.mjs';

const { dependencies } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

it('packages with native code or WebAssembly are not bundled: they read it from their own folder', () => {
  const withBinaries = Object.keys(dependencies).filter((name) => {
    const folder = projectPath('node_modules', name);
    return (
      existsSync(folder) &&
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((file) => /\.(?:wasm|node)$/.test(file))
    );
  });
  expect(withBinaries.filter((name) => !external.includes(name))).toEqual([]);
});
