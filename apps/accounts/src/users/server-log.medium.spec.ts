import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type MemberStack, memberStack, password, problemWith, visitor } from '../testing/member-stack.js';

let stack: MemberStack;
let owner: pg.Client;

beforeAll(async () => {
  stack = await memberStack();
  owner = new pg.Client(stack.db.ownerUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await stack.close();
});

/** Returns what PostgreSQL has logged during the work, for all databases. */
async function loggedDuring(work: () => Promise<void>): Promise<string> {
  const size = async () =>
    Number((await owner.query<{ size: string }>(`select size from pg_stat_file('server.log')`)).rows[0]!.size);
  const from = await size();
  await work();
  const { rows } = await owner.query<{ log: Buffer }>(`select pg_read_binary_file('server.log', $1, $2) as log`, [
    from,
    (await size()) - from,
  ]);
  return rows[0]!.log.toString();
}

describe("PostgreSQL's log", () => {
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const signUp = (name: string, address: string) => stack.members.signUp({ name, email: address, password, visitor });

  it('has no line about a taken name or e-mail address', async () => {
    await signUp('hanako', email);
    const taro = await stack.add('taro');
    const log = await loggedDuring(async () => {
      await expect(signUp('another', email.toUpperCase())).rejects.toMatchObject(problemWith('user.email-taken'));
      await expect(signUp('HANAKO', 'other@example.com')).rejects.toMatchObject(problemWith('user.name-taken'));
      const change = { userId: taro, email, password, visitor };
      await expect(stack.members.changeEmail(change)).rejects.toMatchObject(problemWith('user.email-taken'));
    });
    expect(log.toLowerCase()).not.toContain(email);
    // Only these two statements, because concurrent tests write to the same log
    expect(log).not.toMatch(/insert into users \(name, email, display_name|update users set email = \$2, updated_at/i);
  });

  it('names the violated index or constraint, and no value', async () => {
    const update = (id: number) => stack.database.query('update users set email = $2 where id = $1', [id, email]);
    const saburo = await stack.add('saburo');
    const log = await loggedDuring(async () => {
      await expect(update(saburo)).rejects.toThrow('users_email_unique');
      const row = stack.database.query('update users set email = null where id = $1', [saburo]);
      await expect(row).rejects.toThrow('users_have_email');
    });
    expect(log).toContain('users_email_unique');
    expect(log).toContain('users_have_email');
    expect(log).not.toContain(email);
    expect(log).not.toContain('saburo');
  });
});
