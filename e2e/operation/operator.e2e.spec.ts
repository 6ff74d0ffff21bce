import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { projectPath, projectRoot } from '#config';
import { api, dataDir, newUser, operator } from '../support/shop.js';

/** Runs the operator command for the stack of a folder. Returns its exit code and output. */
async function runIn(folder: string, ...words: string[]) {
  const child = spawn(process.execPath, [projectPath('tools/operator.mjs'), ...words], {
    cwd: projectRoot,
    env: { ...process.env, DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { status, stdout, stderr };
}

const run = (...words: string[]) => runIn(dataDir, ...words);
/** Runs several commands concurrently. */
const runAll = (...commands: string[][]) => Promise.all(commands.map((words) => run(...words)));

describe('the operator command', () => {
  it('creates a user with a valid key', async () => {
    const name = `operated-${process.pid}-${Date.now() % 1_000_000}`;
    const fields = ['--name', name, '--email', `${name}@example.com`, '--password', 'a long password'];
    const made = await run('user', 'create', ...fields);
    expect([made.status, made.stderr]).toEqual([0, '']);
    const user = JSON.parse(made.stdout);
    expect(Object.keys(user).sort()).toEqual(['apiKey', 'id', 'name']);
    expect(user.apiKey).toMatch(/^[\w-]{43}$/);
    expect((await api('GET', '/materials', { token: user.apiKey })).status).toBe(200);
    const { stdout: shown } = await run('user', 'show', '--name', name, '--json');
    expect(shown).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(shown)).toMatchObject({ id: user.id, official: false });
    expect(await operator('user', 'key', '--name', name)).toEqual({ apiKey: user.apiKey });
  });

  it('prints lists as tables, and as JSON with --json', async () => {
    const { name, id } = await newUser();
    const [found, json, materials] = await runAll(
      ['user', 'find', name],
      ['user', 'find', `${name}@example.com`, '--json'],
      ['material', 'list', name],
    );
    expect(found!.stdout).toMatch(new RegExp(`^id +name +email .*\n${id} +${name} +${name}@example.com .*\n$`));
    expect(JSON.parse(json!.stdout)).toMatchObject({ users: [{ id, name }], nextOffset: null });
    expect(materials).toEqual({ status: 0, stdout: 'No materials.\n', stderr: '' });
  });

  it('prints single results as tables or sentences', async () => {
    const { name, apiKey } = await newUser();
    const [key, loaded, revoked] = await runAll(
      ['user', 'key', name],
      ['catalog', 'load'],
      ['token', 'revoke', '--token', 'x'.repeat(43)],
    );
    expect(key!.stdout).toMatch(new RegExp(`^name +API key\\n${name} +${apiKey}\\n$`));
    expect(loaded!.stdout).toMatch(/^items +variants +colors +sizes\n\d+ +\d+ +\d+ +\d+\n$/);
    expect(revoked!.stdout).toBe('No such token.\n');
  });

  it('loads the catalog idempotently', async () => {
    const first = await operator('catalog', 'load');
    expect(first.items).toBeGreaterThanOrEqual(22);
    expect(await operator('catalog', 'load')).toEqual(first);
  });

  it('prints a rejection and its fields, with exit code 1', async () => {
    const user = await newUser();
    const taken = ['user', 'create', '--name', user.name, '--email', 'x@example.com', '--password', 'long enough'];
    const [rejected, unknown] = await runAll(taken, ['user', 'show', '--name', 'no-such-user']);
    expect(rejected).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^user\.name-taken: .*\n {2}name: .*\n$/),
    });
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringMatching(/^user\.not-found: .*\n$/) });
  });

  it('prints an error as one JSON object', async () => {
    const [rejected, wrong] = await runAll(['sale', 'end', '999999999', '--json'], ['nonsense', '--json']);
    expect([rejected!.status, rejected!.stdout]).toEqual([1, '']);
    expect(JSON.parse(rejected!.stderr)).toEqual({ code: 'sale.not-found', message: expect.any(String), errors: [] });
    expect([wrong!.status, wrong!.stdout]).toEqual([2, '']);
    expect(JSON.parse(wrong!.stderr)).toEqual({ message: expect.stringContaining('nonsense') });
  });

  it('prints usage errors with exit code 2', async () => {
    const [unknown, missing, scope] = await runAll(
      ['user', 'show', '--nme', 'x'],
      ['user', 'create', '--name', 'x'],
      ['token', 'create', '--user', 'demo', '--scope', 'read fly'],
    );
    expect(unknown).toMatchObject({ status: 2, stdout: '' });
    expect(missing!.stderr).toContain('--email, --password are missing');
    expect(scope).toMatchObject({
      status: 2,
      stderr: '--scope: fly is not a scope, use read and write, or production\n',
    });
  });

  it('prints help', async () => {
    const [all, one] = await runAll(['--help'], ['user', 'create', '--help']);
    expect(all).toMatchObject({ status: 0, stdout: expect.stringContaining('user create') });
    expect(one).toMatchObject({ status: 0, stdout: expect.stringContaining('--password P') });
  });

  it('names the folder in which it has found no running stack', async () => {
    expect(await runIn('/nonexistent', 'catalog', 'load')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'No stack runs with DATA_DIR=/nonexistent: start one with npm start, or set REDIS_REQUESTS_URL.\n',
    });
  });
});
