import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#dev-stack';
import { client } from '../../apps/accounts/src/identities/testing/openid-client.js';
import { type OpenIdProvider, openIdProvider } from '../../apps/accounts/src/identities/testing/openid-provider.js';
import { violations } from '../support/axe.js';
import {
  describeInBrowser,
  navigate,
  type RealBrowser,
  saveScreenshots,
  sidewaysScrolling,
  startBrowser,
  submitForm,
} from '../support/browser.js';
import { type OwnStack, startStack } from '../support/own-stack.js';

describeInBrowser('the sign-up through a provider', () => {
  let folder: string;
  let origin: string;
  let provider: OpenIdProvider;
  let stack: OwnStack;
  let browser: RealBrowser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-e2e-sign-up-with-'));
    const port = await freePort();
    origin = `http://localhost:${port}`;
    provider = await openIdProvider(`${origin}/sign-in/with/example/callback`);
    const { issuer } = provider;
    const example = { name: 'example', label: 'Example', issuer, clientId: client.id, clientSecret: client.secret };
    const settings = { PORT: String(port), OIDC_PROVIDERS: JSON.stringify([example]) };
    [stack, browser] = await Promise.all([startStack(folder, ['--no-demo'], settings), startBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser.close();
    await stack.stop();
    await provider.close();
    await rm(folder, { recursive: true });
  });

  it.each(['en', 'ja'] as const)(
    'is accessible, also with errors, and signs the user in: %s',
    async (language) => {
      const window = await browser.open({ width: 320, language, origin, script: true });
      const { page } = window;
      const name = `hanako-${language}`;
      const check = async (of: string): Promise<void> => {
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([of, await violations(page)]).toEqual([of, []]);
        }
        expect([of, await sidewaysScrolling(page)]).toEqual([of, []]);
        await saveScreenshots(page, `${of}-${language}`, [1280, 390]);
      };

      await page.goto('/sign-up');
      await check('sign-up-providers');
      await page.locator('main form[action$="/sign-in/with/example"] button').click();
      await page.waitForURL(`${provider.issuer}/**`);
      await page.locator('[name=login]').fill(name);
      await page.locator('[name=password]').fill('any');
      await page.locator('form:has([name=login]) [type=submit]').click();
      await page.locator('form:has([name=prompt][value=consent]) [type=submit]').click();
      await page.waitForURL(`${origin}/**`);
      // Clears the errors of the provider's pages
      window.takeErrors();

      expect(await page.locator('[name=email]').inputValue()).toBe(`${name}@mail.example.com`);
      await check('sign-up-with');
      await submitForm(page, '/sign-up/with/example', { name: '', email: 'x' });
      expect(await page.locator('main [aria-invalid=true]').count()).toBe(2);
      await check('sign-up-with-errors');
      await page.locator('[name=name]').fill(name);
      await page.locator('[name=email]').fill(`${name}@mail.example.com`);
      await navigate(page, () => page.locator('main [type=submit]').click());
      await page.goto('/account/identities');
      await check('identities-of-provider');
      expect(await page.getByRole('main').innerText()).toContain('Example');
      expect(window.takeErrors()).toEqual([]);
    },
    120_000,
  );
});
