import { spawnSync } from 'node:child_process';
import { projectPath, projectRoot } from '#config';
import { api, dataDir, newUser, operator } from './shop.js';

/** The command with everything that it says. */
function run(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [projectPath('tools/built.mjs'), 'operator', ...words],
    {
      cwd: projectRoot,
      env: { ...process.env, DATA_DIR: dataDir },
      encoding: 'utf8',
    },
  );
  return { status, stdout, stderr };
}

describe('the operator command', () => {
  it('makes a user whose key works', async () => {
    const name = `operated-${process.pid}-${Date.now() % 1_000_000}`;
    const made = run(
      'user',
      'create',
      '--name',
      name,
      '--email',
      `${name}@example.com`,
      '--password',
      'a long password',
    );
    expect([made.status, made.stderr]).toEqual([0, '']);
    const user = JSON.parse(made.stdout);
    expect(Object.keys(user).sort()).toEqual(['apiKey', 'id', 'name']);
    expect(user.apiKey).toMatch(/^[\w-]{43}$/);
    expect((await api('GET', '/materials', { token: user.apiKey })).status).toBe(200);
    const shown = run('user', 'show', '--name', name, '--json').stdout;
    expect(shown).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(shown)).toMatchObject({ id: user.id, official: false });
    expect(await operator('user', 'key', '--name', name)).toEqual({ apiKey: user.apiKey });
  });

  it('loads the catalogue again without a change', async () => {
    const first = await operator('catalog', 'load');
    expect(first.items).toBeGreaterThanOrEqual(22);
    expect(await operator('catalog', 'load')).toEqual(first);
  });

  it('says in one line what is refused, with exit code 1', async () => {
    const user = await newUser();
    const taken = run('user', 'create', '--name', user.name, '--email', 'x@example.com', '--password', 'long enough');
    expect(taken).toMatchObject({ status: 1, stdout: '' });
    expect(taken.stderr).toMatch(/^user\.name-taken: /);
    expect(run('user', 'show', '--name', 'nobody-of-that-name').stderr).toMatch(/^user\.not-found: /);
  });

  it('says it as one object to a program', () => {
    const { status, stdout, stderr } = run('sale', 'end', '999999999', '--json');
    expect([status, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toEqual({ code: 'sale.not-found', message: expect.any(String), errors: [] });
    expect(JSON.parse(run('nonsense', '--json').stderr)).toEqual({ message: expect.stringContaining('nonsense') });
  });

  it('names what is wrong with a flag, with exit code 2', () => {
    expect(run('user', 'show', '--nme', 'x')).toMatchObject({ status: 2, stdout: '' });
    expect(run('user', 'create', '--name', 'x').stderr).toContain('--email, --password are missing');
    expect(run('nonsense').status).toBe(2);
    const scope = run('token', 'create', '--user', 'demo', '--scope', 'read fly');
    expect([scope.status, scope.stderr]).toEqual([2, '--scope: fly is no scope, use read and write\n']);
  });

  it('helps', () => {
    expect(run('--help').stdout).toContain('user create');
    expect(run('user', 'create', '--help').stdout).toContain('--password P');
  });

  it('says where it looked when no stack runs', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [projectPath('tools/built.mjs'), 'operator', 'catalog', 'load'],
      {
        env: { ...process.env, DATA_DIR: '/nonexistent' },
        encoding: 'utf8',
      },
    );
    expect([status, stderr]).toEqual([
      1,
      'No stack runs with DATA_DIR=/nonexistent: start one with npm start, or set REDIS_REQUESTS_URL.\n',
    ]);
  });
});
