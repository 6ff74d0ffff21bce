import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Page } from 'playwright-core';
import { eventually, TestSmtpServer } from '#testing';
import { violations } from '../support/axe.js';
import {
  describeInBrowser,
  navigate,
  type RealBrowser,
  saveScreenshots,
  sidewaysScrolling,
  startBrowser,
  type Window,
} from '../support/browser.js';
import { phoneCombinations } from '../support/combinations.js';
import { type OwnStack, startStack } from '../support/own-stack.js';

const password = 'seven green lighthouses';
const newPassword = 'nine blue windmills';

/** Labels of the pages and subjects of the mails, by language. */
const labels = {
  en: {
    signUp: 'Create account',
    signIn: 'Sign in',
    send: 'Send link',
    save: 'Save password',
    confirm: 'Confirm email address',
    again: 'Send again',
    subjects: ['Confirm your email address', 'Reset your password', 'Your password was changed'],
  },
  ja: {
    signUp: 'アカウントを作成',
    signIn: 'サインイン',
    send: 'リンクを送信',
    save: 'パスワードを保存',
    confirm: '確認を完了する',
    again: 'もう一度送信する',
    subjects: ['メールアドレスの確認', 'パスワードの再設定', 'パスワードが変更されました'],
  },
} as const;

describeInBrowser('a user without the password', () => {
  let folder: string;
  let smtp: TestSmtpServer;
  let stack: OwnStack;
  let browser: RealBrowser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-e2e-recovery-'));
    smtp = await TestSmtpServer.start();
    const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'Storefront <shop@example.com>', LOG_LEVEL: 'info' };
    [stack, browser] = await Promise.all([startStack(folder, ['--no-demo'], settings), startBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser.close();
    await stack.stop();
    await smtp.close();
    await rm(folder, { recursive: true });
  });

  const press = (page: Page, name: string): Promise<void> =>
    navigate(page, () => page.getByRole('main').getByRole('button', { name, exact: true }).click());
  const field = (page: Page, name: string) => page.locator(`main [name=${name}]`);
  const text = (page: Page) => page.getByRole('main').innerText();

  it.each(phoneCombinations)(
    'resets it through a mail, and confirms the address: $width pixels, script: $script, $language, $colorScheme',
    async ({ width, script, language, colorScheme }) => {
      const t = labels[language];
      const name = `hanako-${randomBytes(4).toString('hex')}`;
      const [email, unknownEmail] = [`${name}@example.com`, `unknown-${name}@example.com`];
      const origin = stack.origin.replace('127.0.0.1', 'localhost');
      const open = (): Promise<Window> => browser.open({ width, language, origin, script, colorScheme });
      const [window, other] = [await open(), await open()];
      const { page } = window;
      const check = async (of: string): Promise<void> => {
        // axe needs timers, which a window without script does not run
        if (script) expect(await violations(page)).toEqual([]);
        expect(await sidewaysScrolling(page)).toEqual([]);
        await saveScreenshots(page, `recovery-${of}-${language}-${script ? 'script' : 'plain'}-${colorScheme}`, [
          width,
        ]);
      };
      const signIn = async (at: Page, typed: string): Promise<void> => {
        await at.goto('/sign-in');
        await field(at, 'login').fill(name);
        await field(at, 'password').fill(typed);
        await press(at, t.signIn);
      };
      /** Waits for a mail, and returns its link. */
      const linkOfMail = async (number: number): Promise<string> => {
        await eventually(`mail ${number}`, () => smtp.mailsTo(email).length >= number, 30_000);
        return /http:\S+/.exec(smtp.mailsTo(email)[number - 1]!.text)![0];
      };

      await page.goto('/sign-up');
      await field(page, 'name').fill(name);
      await field(page, 'email').fill(email);
      await field(page, 'newPassword').fill(password);
      await press(page, t.signUp);
      await signIn(other.page, password);

      await page.goto('/account');
      await check('unconfirmed');
      const first = await linkOfMail(1);
      await press(page, t.again);
      await check('sent-again');
      const second = await linkOfMail(2);
      await page.goto(first);
      await press(page, t.confirm);
      await check('confirmation-expired');
      expect(await page.locator('main form').count()).toBe(0);
      await page.goto(second);
      await check('confirmation');
      await press(page, t.confirm);
      await check('confirmed');
      expect(new URL(page.url()).search).toBe('?done=confirmed');

      await window.context.clearCookies();
      await page.goto('/sign-in');
      await check('sign-in');
      await navigate(page, () => page.locator('main a[href$="/account/recovery"]').click());
      await check('form');
      await field(page, 'email').fill(unknownEmail);
      await press(page, t.send);
      const unknown = await text(page);
      await field(page, 'email').fill(email);
      await press(page, t.send);
      expect(await text(page)).toBe(unknown);
      await check('sent');

      await page.goto(await linkOfMail(3));
      await check('password');
      await field(page, 'newPassword').fill('password123');
      await press(page, t.save);
      await check('password-error');
      await field(page, 'newPassword').fill(newPassword);
      await press(page, t.save);
      await check('done');
      expect([new URL(page.url()).pathname, new URL(page.url()).search]).toEqual(['/sign-in', '?done=password']);

      await other.page.goto('/account');
      expect(new URL(other.page.url()).pathname).toBe('/sign-in');
      await signIn(page, password);
      expect(new URL(page.url()).pathname).toBe('/sign-in');
      await signIn(page, newPassword);
      expect(new URL(page.url()).pathname).toBe('/account');
      await page.goto(await linkOfMail(3));
      await check('used');
      expect(await page.locator('main input[type=password]').count()).toBe(0);

      const mails = smtp.mailsTo(email);
      expect(mails.map(({ headers }) => headers.get('subject'))).toEqual([
        t.subjects[0],
        t.subjects[0],
        t.subjects[1],
        t.subjects[2],
      ]);
      expect(smtp.mailsTo(unknownEmail)).toEqual([]);
      expect([...window.takeErrors(), ...other.takeErrors()]).toEqual([]);
    },
    120_000,
  );

  it('appears in the log neither with the address nor with the token of a mail', async () => {
    const log = await readFile(join(folder, 'stack.log'), 'utf8');
    expect(log).toContain('/account/recovery/password');
    for (const { text: mail, recipients } of smtp.mails)
      // The link of a mail about a changed password contains no token
      for (const secret of [new URL(/http:\S+/.exec(mail)![0]).searchParams.get('token') ?? [], ...recipients].flat())
        expect(log).not.toContain(secret);
  });
});
