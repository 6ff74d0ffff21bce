import { randomBytes } from 'node:crypto';
import { type Page } from 'playwright-core';
import sharp from 'sharp';
import { eventually } from '#testing';
import { describeInBrowser, navigate, type RealBrowser, shoot, startBrowser } from '../support/browser.js';

/** Image of 2,000 x 2,000 pixels. */
const picture = (color: string): Promise<Buffer> =>
  sharp({ create: { width: 2_000, height: 2_000, channels: 3, background: color } })
    .png()
    .toBuffer();

let browser: RealBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Maximum number of presses from the front page to a shared product page. */
const maxPresses = 12;

describeInBrowser.each([
  [360, true],
  [360, false],
  [1280, true],
  [1280, false],
])('a new creator with a browser of %i pixels, script: %s', (width, script) => {
  it('gets from the front page to a product page that others can open', async () => {
    const window = await browser.open({ width, script });
    const { page } = window;
    let presses = 0;
    const press = async (name: string | RegExp, role: 'button' | 'link' = 'button', at: Page = page): Promise<void> => {
      presses += 1;
      await navigate(at, () => at.getByRole(role, { name }).first().click());
    };
    const shot = (name: string) => shoot(page, `creator-${name}-${script ? 'script' : 'plain'}`, [width]);
    const name = `creator-${randomBytes(4).toString('hex')}`;
    const since = performance.now();
    await page.goto('/');
    await press('Create your products', 'link');
    await press('New here? Create an account.', 'link');
    await page.locator('#name').fill(name);
    await page.locator('#email').fill(`${name}@example.com`);
    await page.locator('#newPassword').fill('four unrelated words');
    await press('Create account');
    expect(new URL(page.url()).pathname).toBe('/materials/new');
    await page.locator('#title').fill('Sunrise');
    await page.locator('#price').fill('300');
    const file = { name: 'sunrise.png', mimeType: 'image/png', buffer: await picture('#e76f51') };
    await page.locator('#file').setInputFiles(file);
    await press('Create');
    expect(await page.getByRole('status').first().textContent()).toBe('Your products have been created.');
    await shot('material');
    await press(/Mug/, 'link');
    const product = page.url();
    expect([presses <= maxPresses, performance.now() - since < 120_000]).toEqual([true, true]);

    await press('Favorite Sunrise Mug');
    expect(await page.getByRole('button', { name: 'Favorite Sunrise Mug' }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.locator('form.favorites p').textContent()).toBe('1 favorite');
    await shot('favored');
    await press('Favorite Sunrise Mug');
    expect(await page.locator('form.favorites p').textContent()).toBe('No favorites yet');
    await press('Add to a new list', 'link');
    await page.locator('#title').fill('Morning');
    await press('Save list');
    const list = page.url();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Morning');
    await press(/Notifications/, 'link');
    await eventually('the images of the material are ready', async () => {
      await page.reload();
      return (await page.getByRole('main').textContent())!.includes('Sunrise');
    });
    expect(window.takeErrors()).toEqual([]);

    const visitor = await browser.open({ width, script });
    for (const url of [product, list]) {
      expect((await visitor.page.goto(url))!.status()).toBe(200);
      expect(await visitor.page.getByRole('main').textContent()).toContain('Sunrise');
    }
    await press('Favorite Sunrise Mug', 'link', visitor.page);
    expect(new URL(visitor.page.url()).pathname).toBe('/sign-in');
    await visitor.context.close();
    await window.context.close();
  });
});

describeInBrowser('the upload form', () => {
  it('shows the errors of a rejected file with and without script, and preserves the texts', async () => {
    for (const script of [true, false]) {
      const { page, context } = await browser.open({ width: 1280, script });
      const name = `creator-${randomBytes(4).toString('hex')}`;
      await page.goto('/sign-up');
      for (const [id, value] of [
        ['name', name],
        ['email', `${name}@example.com`],
        ['newPassword', 'four unrelated words'],
      ] as const)
        await page.locator(`#${id}`).fill(value);
      await navigate(page, () => page.getByRole('button', { name: 'Create account' }).click());
      await page.locator('#title').fill('Not an image');
      await page.locator('#file').setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('x') });
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.locator('#file-error').waitFor();
      expect(await page.locator('#title').inputValue()).toBe('Not an image');
      await context.close();
    }
  });
});
