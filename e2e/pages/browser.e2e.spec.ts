import { randomBytes } from 'node:crypto';
import { type Page } from 'playwright-core';
import { violations } from '../support/axe.js';
import {
  describeInBrowser,
  isInView,
  navigate,
  type RealBrowser,
  saveScreenshots,
  startBrowser,
  type Window,
} from '../support/browser.js';
import { authorizePath, userNameOf, serve, type Server } from '../oauth/oauth-clients.js';
import { baseUrl, itemsByName, newMaterial } from '../support/shop.js';

/** Fills in the fields with these names. */
async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`main [name=${name}]`).fill(value);
}

const press = (page: Page, name: string): Promise<void> =>
  navigate(page, () => page.getByRole('main').getByRole('button', { name, exact: true }).click());

const follow = (page: Page, name: string): Promise<void> =>
  navigate(page, () => page.getByRole('link', { name, exact: true }).first().click());

let browser: RealBrowser | undefined;

describeInBrowser.each([360, 1280])('the interactive documentation at %i pixels', (width) => {
  it('shows Authorize and the links to a key and the guide on the first screen, accessibly', async () => {
    browser ??= await startBrowser();
    const window = await browser.open({ width, script: true });
    const { page } = window;
    await page.goto('/docs');
    const authorize = page.getByRole('button', { name: 'Authorize' });
    await page.locator('.info .title').waitFor();
    expect((await authorize.boundingBox())!.y).toBeLessThan(700);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
      await saveScreenshots(page, `docs-${colorScheme}`, [width]);
    }
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    await authorize.click();
    await page.getByRole('heading', { name: 'Available authorizations' }).waitFor();
    await saveScreenshots(page, 'docs-authorize', [width]);
    await page.getByRole('button', { name: 'Close', exact: true }).first().click();
    await page
      .getByRole('button', { name: /List items/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Try it out' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/Item/listItems');
    await saveScreenshots(page, 'docs-operation', [width]);
    for (const [name, path] of [
      ['Your API key and applications', '/applications'],
      ['Guide for clients', '/guide'],
    ] as const)
      expect(await page.getByRole('main').getByRole('link', { name }).getAttribute('href')).toBe(path);
    expect(window.takeErrors()).toEqual([]);
    await window.context.close();
  });

  it('has links instead without a script', async () => {
    browser ??= await startBrowser();
    const window = await browser.open({ width, language: 'ja' });
    const { page } = window;
    await page.goto('/docs');
    expect(await page.getByRole('main').textContent()).toContain('JavaScriptが必要です');
    await saveScreenshots(page, 'docs-without-script', [width]);
    await follow(page, 'クライアント開発ガイド');
    expect(await page.locator('h1').textContent()).toBe('クライアント開発ガイド');
    await window.context.close();
  });
});

describeInBrowser.each([360, 1280])('a person with a browser of %i pixels and without script', (width) => {
  const name = `hanako-${randomBytes(4).toString('hex')}`;
  let window: Window;
  let page: Page;
  /** Site of an application. Stores the parameters of the last redirect in `cameBack`. */
  let site: Server;
  let cameBack: URLSearchParams;
  let application: { readonly clientId: string; readonly clientSecret: string };
  let token: string;
  let apiKey: string;

  beforeAll(async () => {
    browser ??= await startBrowser();
    window = await browser.open({ width });
    ({ page } = window);
    site = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, baseUrl);
      if (pathname === '/callback') cameBack = searchParams;
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Poster shop</title><h1>Back</h1>');
    });
  });
  afterEach(() => {
    expect(window.takeErrors()).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all([window.context.close(), site.close()]);
    if (width === 1280) await browser?.close();
  });

  const shot = (what: string): Promise<void> => saveScreenshots(page, `flow-${what}`, [width]);

  /** Opens an authorization URL. */
  const authorize = (scope: string) =>
    page.goto(
      authorizePath({
        response_type: 'code',
        client_id: application.clientId,
        redirect_uri: `${site.origin}/callback`,
        scope,
        state: 'a state',
      }),
    );
  const returned = () => page.waitForURL(`${site.origin}/**`);

  /** Redeems the code as the application does. Returns the token. */
  async function redeem(): Promise<string> {
    const response = await fetch(`${baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: cameBack.get('code')!,
        redirect_uri: `${site.origin}/callback`,
        client_id: application.clientId,
        client_secret: application.clientSecret,
      }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  it('signs up from the front page', async () => {
    await page.goto('/');
    await follow(page, 'Sign up');
    await fill(page, { name, email: `${name}@example.com`, newPassword: 'password' });
    await press(page, 'Create account');
    expect(await page.locator('#newPassword-error').textContent()).toContain('10');
    expect(await page.locator('[name=email]').inputValue()).toBe(`${name}@example.com`);
    await fill(page, { newPassword: 'seven green lighthouses' });
    await press(page, 'Create account');
    await page.goto('/account');
    expect(await page.getByRole('main').textContent()).toContain(`${name}@example.com`);
    await shot('signed-up');
  });

  it('registers an application, whose secret is shown once', async () => {
    await follow(page, 'API key and applications');
    await follow(page, 'Register an application');
    await fill(page, {
      name: 'Poster shop',
      description: 'Prints posters.',
      redirectUris: 'http://127.0.0.1/callback',
    });
    await page.locator('[name=write]').check();
    await page.locator('[name=kind][value=confidential]').check();
    await press(page, 'Register');
    const shown = (id: string) => page.locator(`#${id}`).inputValue();
    application = { clientId: await shown('clientId'), clientSecret: await shown('clientSecret') };
    await shot('secret');
    await page.goto('/applications');
    await follow(page, 'Poster shop');
    expect(await page.content()).toContain(application.clientId);
    expect(await page.content()).not.toContain(application.clientSecret);
  });

  it('denies access: the application gets an error', async () => {
    await authorize('read');
    expect(await page.locator('h1').textContent()).toContain('Poster shop');
    await shot('consent');
    await press(page, 'Deny');
    await returned();
    expect(Object.fromEntries(cameBack)).toMatchObject({ error: 'access_denied', state: 'a state' });
    expect(cameBack.has('code')).toBe(false);
  });

  it('allows access: the application gets a valid token', async () => {
    await authorize('read');
    await press(page, 'Allow');
    await returned();
    expect(Object.fromEntries(cameBack)).toMatchObject({ state: 'a state' });
    token = await redeem();
    expect(await userNameOf(token)).toBe(name);
  });

  it('requires consent for additional scopes only', async () => {
    await authorize('read');
    await returned();
    expect(await userNameOf(await redeem())).toBe(name);
    await authorize('read write');
    expect(new URL(page.url()).pathname).toBe('/oauth/authorize');
    await shot('consent-again');
  });

  it('revokes access: the token is rejected immediately', async () => {
    await page.goto('/account');
    await follow(page, 'Applications with access');
    await shot('consents');
    await navigate(page, () => page.locator('main form[action$="/revoke"] button').click());
    expect(await userNameOf(token)).toBe(401);
    await authorize('read');
    expect(new URL(page.url()).pathname).toBe('/oauth/authorize');
  });

  it('shows the API key on request', async () => {
    await page.goto('/applications');
    await follow(page, 'Show key');
    await fill(page, { password: 'seven green lighthouses' });
    await shot('key-password');
    await press(page, 'Show key');
    apiKey = await page.locator('#apiKey').inputValue();
    expect(await userNameOf(apiKey)).toBe(name);
    await shot('key');
  });

  it('replaces the key: the old key is rejected immediately', async () => {
    await follow(page, 'Replace key');
    await fill(page, { password: 'seven green lighthouses' });
    await press(page, 'Replace key');
    const old = apiKey;
    apiKey = await page.locator('#apiKey').inputValue();
    expect([await userNameOf(old), await userNameOf(apiKey)]).toEqual([401, name]);
  });

  it('selects another color of a product, and sees another image', async () => {
    const { 't-shirt': shirt } = await itemsByName(apiKey);
    const user = { id: 0, name, apiKey };
    const { products } = await newMaterial(user, { products: [{ itemId: shirt.id, published: true }] });
    await page.goto(products[0].sampleUrl);
    const colors = page.getByRole('navigation').filter({ hasText: 'Color' });
    const image = page.locator('main img').first();
    const bytes = async (): Promise<Buffer> => {
      await page.waitForLoadState('load');
      expect(await image.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth)).toBeGreaterThan(0);
      return Buffer.from(await (await fetch(new URL((await image.getAttribute('src'))!, baseUrl))).arrayBuffer());
    };
    const first = await bytes();
    await shot('product');
    const others = colors.locator('a:not([aria-current])');
    const color = (await others.first().textContent())!.trim();
    await others.first().focus();
    await navigate(page, () => page.keyboard.press('Enter'));
    await page.waitForLoadState('load');
    // The colors and the image are in view, and the next Tab continues after the selected color
    expect(await isInView(colors.locator('[aria-current]'))).toBe(true);
    const { y, height } = (await image.boundingBox())!;
    if (width === 1280) expect(y).toBeGreaterThan(0);
    else expect(y + height).toBeGreaterThan(150);
    await page.keyboard.press('Tab');
    expect(await colors.locator('a:focus').count()).toBe(1);
    expect(await colors.locator('a[aria-current]').textContent()).toContain(color);
    expect((await bytes()).equals(first)).toBe(false);
    await shot('product-of-another-color');
  });

  it('prints a product without navigation, search and buttons', async () => {
    await page.emulateMedia({ media: 'print' });
    const visible = page.locator('header.site nav, .search, footer.site, .favorite, .add-to-list, .angles');
    expect(await visible.filter({ visible: true }).count()).toBe(0);
    expect(await page.locator('main img').first().isVisible()).toBe(true);
    await page.emulateMedia({ media: null });
    expect(await visible.filter({ visible: true }).count()).toBeGreaterThan(3);
  });

  it('returns to the unpublished product at the end of a page, with a notice', async () => {
    const items = Object.values(await itemsByName(apiKey)).filter(({ isEmbroidery }) => !isEmbroidery);
    const products = items.slice(0, 20).map(({ id }) => ({ itemId: id, published: true }));
    const { material } = await newMaterial({ id: 0, name, apiKey }, { products });
    await page.goto(`/materials/${material.id}`);
    const last = page.locator('.products li').last();
    await navigate(page, () => last.getByRole('button', { name: /^Unpublish/ }).click());
    const notice = last.getByRole('status');
    expect(await notice.textContent()).toBe('The product has been updated.');
    expect([await isInView(notice), await isInView(last.getByRole('button'))]).toEqual([true, true]);
    await shot('unpublished');
  });

  it('prints a material without buttons', async () => {
    const visible = page.locator('main button, main a.standalone, main .actions').filter({ visible: true });
    expect(await visible.count()).toBeGreaterThan(20);
    await page.emulateMedia({ media: 'print' });
    expect([await visible.count(), await page.locator('.products li').count()]).toEqual([0, 20]);
    await shot('material-printed');
    await page.emulateMedia({ media: null });
  });

  it('switches to Japanese, also for later pages', async () => {
    const { pathname } = new URL(page.url());
    await follow(page, '日本語');
    expect([await page.locator('html').getAttribute('lang'), new URL(page.url()).pathname]).toEqual(['ja', pathname]);
    await page.goto('/account');
    expect(await page.locator('h1').textContent()).toBe('アカウント');
    await follow(page, 'English');
    expect(await page.locator('h1').textContent()).toBe('Your account');
  });

  it('signs out, and is redirected to the sign-in', async () => {
    await navigate(page, () => page.getByRole('button', { name: 'Sign out' }).click());
    await page.goto('/account/email');
    expect(await page.locator('h1').textContent()).toBe('Sign in');
    await fill(page, { login: `${name}@example.com`, password: 'seven green lighthouses' });
    await press(page, 'Sign in');
    expect(new URL(page.url()).pathname).toBe('/account/email');
  });
});
