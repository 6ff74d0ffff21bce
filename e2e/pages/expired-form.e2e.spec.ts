import { randomBytes } from 'node:crypto';
import { type Page } from 'playwright-core';
import sharp from 'sharp';
import { errorTexts } from '../../apps/gateway/src/site/pages/texts/error.js';
import { materialsTexts } from '../../apps/gateway/src/site/materials/materials.texts.js';
import {
  describeInBrowser,
  navigate,
  type RealBrowser,
  saveScreenshots,
  startBrowser,
  type Window,
} from '../support/browser.js';

const password = 'seven green lighthouses';
const aboutText = 'I draw lighthouses.\nAll of them.';

const press = (page: Page, name: string): Promise<void> =>
  navigate(page, () => page.getByRole('main').getByRole('button', { name, exact: true }).click());

describeInBrowser('a form that has expired', () => {
  const name = `hanako-${randomBytes(4).toString('hex')}`;
  let browser: RealBrowser;
  let window: Window;
  let page: Page;

  const field = (of: string) => page.locator(`main [name=${of}]`);
  const summary = () => page.getByRole('alert').textContent();

  async function signIn(): Promise<void> {
    await field('login').fill(name);
    await field('password').fill(password);
    await press(page, 'Sign in');
  }

  beforeAll(async () => {
    browser = await startBrowser();
    window = await browser.open({ width: 390, script: true });
    ({ page } = window);
    await page.goto('/sign-up');
    await field('name').fill(name);
    await field('email').fill(`${name}@example.com`);
    await field('newPassword').fill(password);
    await press(page, 'Create account');
  });
  afterEach(() => expect(window.takeErrors()).toEqual([]));
  afterAll(() => browser.close());

  it('leads to the sign-in if the session has expired, and contains the typed text afterwards', async () => {
    await page.goto('/account/profile');
    await field('about').fill(aboutText);
    await window.context.clearCookies();
    await press(page, 'Save');
    expect(await page.getByRole('main').textContent()).toContain('return to the form with the text you entered');
    await saveScreenshots(page, 'expired-session', [1280, 390]);
    await signIn();
    expect(new URL(page.url()).pathname).toBe('/account/profile');
    expect([await field('about').inputValue(), await summary()]).toEqual([
      aboutText,
      expect.stringContaining('expired'),
    ]);
    await saveScreenshots(page, 'expired-form', [1280, 390]);
    await press(page, 'Save');
    await page.goto('/account/profile');
    expect(await field('about').inputValue()).toBe(aboutText);
  });

  it('reports an interrupted upload, and can be submitted again', async () => {
    await page.goto('/materials/new');
    await field('title').fill('Sun');
    const file = sharp({ create: { width: 300, height: 300, channels: 3, background: '#e76f51' } }).png();
    await field('file').setInputFiles({ name: 'sun.png', mimeType: 'image/png', buffer: await file.toBuffer() });
    await page.route('**/materials/new', (route) => route.abort('connectionreset'));
    const create = page.getByRole('main').getByRole('button', { name: 'Create', exact: true });
    await create.click();
    await page.getByRole('alert').waitFor();
    expect(await summary()).toBe(materialsTexts.en.uploadFailed);
    expect([await field('title').inputValue(), await create.and(page.locator(':focus')).count()]).toEqual(['Sun', 1]);
    await saveScreenshots(page, 'interrupted-upload', [1280, 390]);
    await page.unroute('**/materials/new');
    // Clears the console error of the interrupted request
    window.takeErrors();
    await press(page, 'Create');
    expect(new URL(page.url()).pathname).toMatch(/^\/materials\/\d+$/);
  });

  it('stays as it is after an error page, which is quoted', async () => {
    await page.goto('/materials/new');
    await field('title').fill('Sun');
    await field('description').fill('x'.repeat(150_000));
    const file = sharp({ create: { width: 300, height: 300, channels: 3, background: '#e76f51' } }).png();
    await field('file').setInputFiles({ name: 'sun.png', mimeType: 'image/png', buffer: await file.toBuffer() });
    const create = page.getByRole('main').getByRole('button', { name: 'Create', exact: true });
    await create.click();
    await page.getByRole('alert').waitFor();
    const { titles, details } = errorTexts.en;
    expect(await summary()).toBe(`${titles[413]}${details[413]}`);
    expect([await field('title').inputValue(), await create.and(page.locator(':focus')).count()]).toEqual(['Sun', 1]);
    await saveScreenshots(page, 'rejected-upload', [1280, 390]);
    const ofProxy = { status: 502, contentType: 'text/html', body: '<p>Bad gateway</p>' };
    await page.route('**/materials/new', (route) => route.fulfill(ofProxy));
    await create.click();
    await page.getByRole('alert').waitFor({ timeout: 30_000 });
    expect(await summary()).toBe(await page.locator('form.upload').getAttribute('data-failed'));
    await page.unroute('**/materials/new');
    // Clears the console error of the rejected request
    window.takeErrors();
    await field('description').fill('');
    await press(page, 'Create');
    expect(new URL(page.url()).pathname).toMatch(/^\/materials\/\d+$/);
  });

  it('is shown again after a sign-in in another tab, with its text and without its file', async () => {
    await page.goto('/materials/new');
    const tab = page;
    page = await window.context.newPage();
    await page.goto('/');
    await navigate(page, () => page.getByRole('button', { name: 'Sign out' }).click());
    await page.goto('/sign-in');
    await signIn();
    await page.close();
    page = tab;
    const image = sharp({ create: { width: 300, height: 300, channels: 3, background: '#e76f51' } });
    const file = { name: 'sun.png', mimeType: 'image/png', buffer: await image.png().toBuffer() };
    await field('title').fill('Sun');
    await field('file').setInputFiles(file);
    await page.getByRole('main').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect([await field('title').inputValue(), await summary()]).toEqual(['Sun', expect.stringContaining('expired')]);
    expect(await summary()).toContain('Select the image again');
    await saveScreenshots(page, 'expired-upload', [1280, 390]);
    await field('file').setInputFiles(file);
    await page.getByRole('main').getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL(/\/materials\/\d+\?done=created/);
    expect(await page.locator('h1').textContent()).toBe('Sun');
  });
});
