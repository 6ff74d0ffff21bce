import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { projectPath, projectRoot } from '#config';
import { faultOf } from './names.mjs';

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

const folder = mkdtempSync(join(tmpdir(), 'new-app-'));
const slowMs = 600_000;

/** Runs a Node.js program in the copy of the project. */
function run(...parameters: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, parameters, { cwd: folder });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
    child.once('close', (code) => resolve({ code, output }));
  });
}
const runPackage = (program: string, ...parameters: string[]) => run(join('node_modules', program), ...parameters);
const newApp = (...words: string[]) => run('tools/generators/new-app/main.mjs', ...words);

beforeAll(() => {
  const isSource = (path: string) => !/^(?:\.git|\.data.*|node_modules|dist|coverage|secrets)$/.test(basename(path));
  cpSync(projectRoot, folder, { recursive: true, filter: (path) => path === projectRoot || isSource(path) });
  symlinkSync(projectPath('node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the name of a new app', () => {
  it.each([
    ['Gift-Cards', '"Gift-Cards" is not a valid app name'],
    ['gift_cards', 'lower-case words joined by hyphens'],
    ['gift-'.repeat(6) + 'cards', 'at most 30 characters'],
    ['social', 'the app social exists already'],
    ['rendering', 'the name rendering is reserved'],
    ['autoscaler', 'the name autoscaler is reserved'],
    ['catalog-search', 'the Redis grants of catalog-search and catalog would overlap'],
    ['material', 'the Redis grants of material and material-rendering would overlap'],
  ])('rejects %s', (name, reason) => expect(faultOf(name)).toContain(reason));
});

describe('npm run new:app', () => {
  const state = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => {
      const { mtimeMs, size } = statSync(join(folder, path));
      return `${path} ${mtimeMs} ${size}`;
    });

  async function expectRejected(words: string[], reason: string): Promise<void> {
    const before = state();
    const { code, output } = await newApp(...words);
    expect(output).toContain(reason);
    expect(code).toBe(1);
    expect(state()).toEqual(before);
  }

  it.each([
    [[], 'it takes one name (--help)'],
    [['sessions'], 'libs/contracts/src/messages/sessions.ts exists already'],
  ])('rejects %j and writes nothing', expectRejected);

  it('rejects an unregistered folder of apps', async () => {
    mkdirSync(join(folder, 'apps/stray'));
    await expectRejected(['gift-cards'], 'apps.mjs and the folders of apps/ differ');
    rmSync(join(folder, 'apps/stray'), { recursive: true });
  });

  it('writes nothing if an edited place is missing', async () => {
    const file = join(folder, 'k8s/overlays/production/alerts.yaml');
    const text = await readFile(file, 'utf8');
    writeFileSync(file, text.replace('StorefrontNoConsumer', 'StorefrontQueueLost'));
    await expectRejected(['gift-cards'], 'there is no alert StorefrontNoConsumer');
    writeFileSync(file, text);
  });
});

describe('a new app', () => {
  let types: Promise<Outcome>;
  let lint: Promise<Outcome[]>;
  let tests: Promise<Outcome>;

  const expectSuccess = ({ code, output }: Outcome) =>
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });

  beforeAll(async () => {
    const generated = await newApp('gift-cards');
    expectSuccess(generated);
    const written = [...generated.output.matchAll(/^ {2}(\S+)$/gm)].map(([, path]) => path!);
    const code = written.filter((path) => /\.(?:ts|mjs)$/.test(path));
    // In parallel with the tests, on the second core
    types = runPackage('typescript/bin/tsc', '-p', 'tsconfig.json');
    const rules = ['--config', '.dependency-cruiser.cjs'];
    lint = types.then(async () => [
      await runPackage('eslint/bin/eslint.js', ...code),
      await runPackage('dependency-cruiser/bin/dependency-cruise.mjs', 'apps/gift-cards', 'libs/contracts', ...rules),
      await runPackage('prettier/bin/prettier.cjs', '--check', ...written),
    ]);
    tests = run(
      ...['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', '--forceExit', '--runInBand'],
      ...['--selectProjects', 'small', 'medium', '--', 'apps/gift-cards/', 'compatibility.spec', 'redis-users.spec'],
      ...['registry', 'containers', 'secret-settings', 'settings-table', 'manifests', 'monitoring.spec', 'file-roles'],
    );
  }, slowMs);

  it('passes the type check', async () => expectSuccess(await types), slowMs);

  it(
    'passes the checks of style, imports and format',
    async () => {
      for (const outcome of await lint) expectSuccess(outcome);
    },
    slowMs,
  );

  it(
    'starts, passes its tests and is registered in every table',
    async () => {
      expectSuccess(await tests);
      expect((await tests).output).toContain('PASS medium apps/gift-cards/src/gift-cards.module.medium.spec.ts');
    },
    slowMs,
  );
});
