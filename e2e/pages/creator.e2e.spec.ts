import { randomBytes } from 'node:crypto';
import { type Locator, type Page } from 'playwright-core';
import sharp from 'sharp';
import { eventually } from '#testing';
import { activitiesTexts } from '../../apps/gateway/src/site/activities/activities.texts.js';
import { choicesTexts } from '../../apps/gateway/src/site/choices/choices.texts.js';
import { materialsTexts } from '../../apps/gateway/src/site/materials/materials.texts.js';
import { shopTexts } from '../../apps/gateway/src/site/shop/shop.texts.js';
import { signInTexts } from '../../apps/gateway/src/site/sign-in/sign-in.texts.js';
import { signUpTexts } from '../../apps/gateway/src/site/sign-in/sign-up.texts.js';
import {
  describeInBrowser,
  isInView,
  navigate,
  type RealBrowser,
  saveScreenshots,
  startBrowser,
} from '../support/browser.js';
import { selectedCombinations } from '../support/combinations.js';

/** Returns a PNG of 2,000 x 2,000 pixels. */
const createImage = (color: string): Promise<Buffer> =>
  sharp({ create: { width: 2_000, height: 2_000, channels: 3, background: color } })
    .png()
    .toBuffer();

let browser: RealBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/**
 * Presses the Tab key until an element has the focus.
 *
 * @throws Error if 150 presses do not reach it, or if it has no visible outline
 */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const focused = target.and(page.locator(':focus'));
  for (let presses = 0; presses < 150; presses += 1) {
    if ((await focused.count()) > 0) {
      const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
      expect(outline).not.toBe('none');
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${target.toString()}`);
}

/** Maximum number of links and buttons that a creator presses up to the product page. */
const maxPresses = 12;

/** Every fourth window is used with the keyboard alone. */
const windows = selectedCombinations.map((it) => ({
  ...it,
  device: it.width === 1280 && it.colorScheme === 'light' ? ('keyboard' as const) : ('pointer' as const),
}));

describeInBrowser.each(windows)(
  'a new creator with $width pixels, a $device, script: $script, $language, $colorScheme',
  (settings) => {
    const { width, script, device, language, colorScheme } = settings;
    const [shop, materials, choices] = [shopTexts[language], materialsTexts[language], choicesTexts[language]];
    const favorite = shop.favorite(`Sunrise ${language === 'en' ? 'Mug' : 'マグカップ'}`);

    it('gets from the front page to a product page that others can open', async () => {
      const window = await browser.open(settings);
      const { page } = window;
      let presses = 0;
      const press = async (
        name: string | RegExp,
        role: 'button' | 'link' = 'button',
        at: Page = page,
      ): Promise<void> => {
        presses += 1;
        const target = at.getByRole(role, { name, exact: true }).first();
        if (device === 'pointer') return navigate(at, () => target.click());
        await tabTo(at, target);
        return navigate(at, () => at.keyboard.press('Enter'));
      };
      const fill = async (id: string, value: string): Promise<void> => {
        const field = page.locator(`#${id}`);
        if (device === 'pointer') return field.fill(value);
        await tabTo(page, field);
        return page.keyboard.type(value);
      };
      const choose = async (file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> => {
        const field = page.locator('#file');
        if (device === 'pointer') return field.setInputFiles(file);
        // Listens before the key is pressed: otherwise Chromium opens a dialog of the system
        const chooser = page.waitForEvent('filechooser');
        const pressed = tabTo(page, field).then(() => page.keyboard.press('Space'));
        await Promise.all([chooser, pressed]);
        return (await chooser).setFiles(file);
      };
      const shot = (name: string) =>
        saveScreenshots(page, `creator-${name}-${language}-${script ? 'script' : 'plain'}-${colorScheme}`, [width]);
      const name = `creator-${randomBytes(4).toString('hex')}`;
      const since = performance.now();
      await page.goto('/');
      await shot('front');
      await press(shop.beginButton, 'link');
      await press(signInTexts[language].newHere, 'link');
      await fill('name', name);
      await fill('email', `${name}@example.com`);
      await fill('newPassword', 'four unrelated words');
      await press(signUpTexts[language].submit);
      expect(new URL(page.url()).pathname).toBe('/materials/new');
      const upload = { name: 'sunrise.png', mimeType: 'image/png', buffer: await createImage('#e76f51') };
      await fill('title', 'Sunrise');
      await fill('price', '300');
      await choose(upload);
      await shot('form');
      await press(materials.submit);
      expect(await page.getByRole('status').first().textContent()).toBe(materials.done.created);
      await shot('material');
      const material = page.url();
      await press(/Mug|マグカップ/, 'link');
      const product = page.url();
      expect([presses <= maxPresses, performance.now() - since < 120_000]).toEqual([true, true]);

      await press(favorite);
      expect(await page.getByRole('button', { name: favorite, exact: true }).first().getAttribute('aria-pressed')).toBe(
        'true',
      );
      expect(await page.locator('form.favorites p').textContent()).toBe(shop.oneFavorite);
      for (const part of ['.stamps', 'form.favorites p'])
        expect([part, await isInView(page.locator(part))]).toEqual([part, true]);
      await shot('favorite');
      await press(favorite);
      expect(await page.locator('form.favorites p').textContent()).toBe(shop.noFavorites);
      await press(shop.addToNewList, 'link');
      await fill('title', 'Morning');
      await press(choices.save);
      const list = page.url();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Morning');
      await shot('list');
      await press(new RegExp(activitiesTexts[language].title), 'link');
      await eventually('the images of the material are ready', async () => {
        await page.goto('/activities');
        return (await page.getByRole('main').textContent())!.includes('Sunrise');
      });
      expect(window.takeErrors()).toEqual([]);

      const visitor = await browser.open(settings);
      for (const url of [product, list]) {
        expect((await visitor.page.goto(url))!.status()).toBe(200);
        expect(await visitor.page.getByRole('main').textContent()).toContain('Sunrise');
      }
      await press(favorite, 'link', visitor.page);
      expect(new URL(visitor.page.url()).pathname).toBe('/sign-in');
      await visitor.context.close();

      await page.goto(material);
      await press(materials.edit, 'link');
      await fill('title', 'Sunset');
      await shot('edit');
      await press(materials.save);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sunset');
      await press(materials.delete, 'link');
      await shot('delete');
      await press(materials.delete);
      expect(await page.getByRole('status').first().textContent()).toBe(materials.done.deleted);
      expect((await page.goto(product))!.status()).toBe(404);
      expect(window.takeErrors()).toEqual([]);
      await window.context.close();
    });
  },
);

/** Signs up a new user. The next page is the upload form. */
async function signUp(page: Page): Promise<void> {
  const name = `creator-${randomBytes(4).toString('hex')}`;
  await page.goto('/sign-up');
  for (const [id, value] of [
    ['name', name],
    ['email', `${name}@example.com`],
    ['newPassword', 'four unrelated words'],
  ] as const)
    await page.locator(`#${id}`).fill(value);
  await navigate(page, () => page.getByRole('button', { name: 'Create account' }).click());
}

describeInBrowser('the page of a new material', () => {
  it('loads the images that were missing and says when all are ready', async () => {
    const { page, context } = await browser.open({ width: 1280, script: true });
    await signUp(page);
    const isImage = /\/images\/v1\//;
    await page.route(isImage, (route) => route.abort());
    await page.locator('#title').fill('Sunrise');
    await page.locator('#file').setInputFiles({
      name: 'sunrise.png',
      mimeType: 'image/png',
      buffer: await createImage('#e76f51'),
    });
    await navigate(page, () => page.getByRole('button', { name: 'Create', exact: true }).click());
    const notice = page.locator('.rendering');
    expect(await notice.textContent()).toContain(materialsTexts.en.rendering);
    await page.unroute(isImage);
    await notice.getByText(materialsTexts.en.rendered, { exact: true }).waitFor();
    const isLoaded = () => page.evaluate<boolean>("document.querySelector('.products img').naturalWidth > 0");
    await eventually('the first image', isLoaded, 5_000);
    await context.close();
  });

  it('says after the last attempt that images take longer', async () => {
    const { page, context } = await browser.open({ width: 390, script: true });
    // The attempts of three minutes follow each other at once
    await page.addInitScript(
      '{ const start = setTimeout; window.setTimeout = (task, _, ...rest) => start(task, 0, ...rest); }',
    );
    await page.route(/\/materials\/\d+$/, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p class="rendering"></p>' }),
    );
    await signUp(page);
    await page.locator('#title').fill('Sunrise');
    await page.locator('#file').setInputFiles({
      name: 'sunrise.png',
      mimeType: 'image/png',
      buffer: await createImage('#2a9d8f'),
    });
    await navigate(page, () => page.getByRole('button', { name: 'Create', exact: true }).click());
    const notice = page.locator('.rendering');
    await notice.getByText(materialsTexts.en.late, { exact: true }).waitFor();
    expect(await notice.textContent()).not.toContain(materialsTexts.en.rendering);
    expect(await notice.getByRole('link').isVisible()).toBe(true);
    await saveScreenshots(page, 'late', [390, 1280]);
    await context.close();
  });
});

describeInBrowser('the upload form', () => {
  it('shows the progress of the upload, and is empty and enabled again after the back button', async () => {
    const { page, context } = await browser.open({ width: 1280, script: true });
    await signUp(page);
    const form = page.url();
    const pixels = { width: 1_000, height: 1_000, channels: 3 } as const;
    const buffer = await sharp(randomBytes(3_000_000), { raw: pixels }).png().toBuffer();
    await page.locator('#title').fill('Noise');
    await page.locator('#file').setInputFiles({ name: 'noise.png', mimeType: 'image/png', buffer });
    const network = await context.newCDPSession(page);
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1_000_000 };
    await network.send('Network.emulateNetworkConditions', conditions);
    const button = page.getByRole('button', { name: 'Create', exact: true });
    await button.click();
    const progress = page.getByRole('progressbar');
    const values: number[] = [];
    await eventually('the upload is at least half done', async () => {
      values.push(Number(await progress.getAttribute('value')));
      return values.at(-1)! >= 50;
    });
    expect([await button.isDisabled(), await progress.isVisible()]).toEqual([true, true]);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(values.some((value) => value > 0 && value < 100)).toBe(true);
    await page.waitForURL(/\/materials\/\d+/);
    await page.goBack();
    expect([page.url(), await button.isEnabled(), await progress.isVisible()]).toEqual([form, true, false]);
    await context.close();
  });

  it('shows the errors of a rejected file with and without script, and preserves the texts', async () => {
    for (const script of [true, false]) {
      const { page, context } = await browser.open({ width: 1280, script });
      await signUp(page);
      await page.locator('#title').fill('Not an image');
      await page.locator('#file').setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('x') });
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.locator('#file-error').waitFor();
      expect(await page.locator('#title').inputValue()).toBe('Not an image');
      await context.close();
    }
  });
});
