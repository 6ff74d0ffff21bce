import { type MemberStack, memberStack, problemWith, visitor } from '../testing/member-stack.js';

let stack: MemberStack;

const settings = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: { name: '', address: 'shop@example.com' } };
const outbox = () =>
  stack.database.query<{ name: string; payload: object }>('select name, payload from outbox order by seq');

afterEach(() => stack.close());

it('writes the same event for a known and an unknown address, so that the response time is equal', async () => {
  stack = await memberStack(settings);
  const userId = await stack.add('hanako');
  for (const email of ['HANAKO@example.com', 'unknown@example.com']) await stack.mail.requestReset({ email, visitor });
  const name = 'password.reset-requested';
  expect(await outbox()).toEqual([
    { name, payload: { userId, language: 'en' } },
    { name, payload: { userId: null, language: 'en' } },
  ]);
});

it('writes no event without a mail server', async () => {
  stack = await memberStack();
  const userId = await stack.add('hanako');
  await stack.mail.requestReset({ email: 'hanako@example.com', visitor });
  await stack.mail.requestConfirmation({ userId, visitor });
  expect([stack.mail.isEnabled, await outbox()]).toEqual([false, []]);
});

it('rejects a confirmation for a deleted user', async () => {
  stack = await memberStack(settings);
  const rejected = stack.mail.requestConfirmation({ userId: 999_999, visitor });
  await expect(rejected).rejects.toMatchObject(problemWith('user.not-found'));
});
