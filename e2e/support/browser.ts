import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type ConsoleMessage,
  type Locator,
  type Page,
} from 'playwright-core';
import { projectPath } from '#config';
import { chromiumForTests } from '../../tools/test/chromium.mjs';
import { baseUrl } from './shop.js';

const executablePath = chromiumForTests();

/**
 * `describe` for browser tests; `describe.skip` if there is no Chromium, which the last lines of
 * `npm test` report.
 */
export const describeInBrowser = executablePath === undefined ? describe.skip : describe;

export interface RealBrowser {
  /** Opens a window with separate cookies. */
  open(settings: WindowSettings): Promise<Window>;
  close(): Promise<void>;
}

interface WindowSettings {
  /** Width in CSS pixels: 320 to 360 for a phone, 1280 for a desktop. */
  readonly width: number;
  readonly language?: 'en' | 'ja';
  readonly script?: boolean;
  readonly colorScheme?: 'light' | 'dark';
  /** Origin of another stack. */
  readonly origin?: string;
}

export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Returns and clears errors: of the console, of scripts, and requests to other origins. */
  takeErrors(): string[];
}

/** Starts Chromium, which resolves no host but localhost. */
export async function startBrowser(): Promise<RealBrowser> {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-browser-'));
  const browser = await chromium.launch({
    executablePath: executablePath!,
    env: { ...process.env, FONTCONFIG_FILE: writeFontConfig(folder) },
    args: [
      ...['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
      // With each page Chromium would start a spare renderer process, a third of the cost of the
      // page. Chromium uses only the last list of disabled features, so this one repeats those of
      // Playwright that tests need
      '--disable-features=SpareRendererForSitePerProcess,PaintHolding,HttpsUpgrades,OptimizationHints,MediaRouter',
      // Chromium has no sandbox as root, and the shared memory of a container is small
      ...['--no-sandbox', '--disable-dev-shm-usage'],
    ],
  });
  return {
    open: (settings) => openWindow(browser, settings),
    close: async () => {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Writes a font configuration with a Japanese font, and returns its path. Without the font all
 * Japanese characters have the same width.
 */
function writeFontConfig(folder: string): string {
  const file = join(folder, 'fonts.conf');
  writeFileSync(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>${projectPath('node_modules/@expo-google-fonts/noto-sans-jp/400Regular')}</dir>
<dir>${projectPath('node_modules/@expo-google-fonts/noto-sans-jp/700Bold')}</dir>
<cachedir>${folder}</cachedir>
</fontconfig>`,
  );
  return file;
}

async function openWindow(
  browser: Browser,
  { width, language = 'en', script = false, colorScheme = 'light', origin = baseUrl }: WindowSettings,
): Promise<Window> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height: 800 },
    locale: language === 'ja' ? 'ja-JP' : 'en-GB',
    javaScriptEnabled: script,
    colorScheme,
  });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  let errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message, page)) errors.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!request.isNavigationRequest() && !url.startsWith('data:') && new URL(url).origin !== new URL(origin).origin)
      errors.push(`${page.url()} requests ${url}`);
  });
  return {
    context,
    page,
    takeErrors: () => {
      const complaints = errors;
      errors = [];
      return complaints;
    },
  };
}

/**
 * Returns whether an error of the console is the status of a page, which tests expect, or the 503
 * of an image that is not rendered yet, which the page requests again.
 */
function isExpected(message: ConsoleMessage, page: Page): boolean {
  const { url } = message.location();
  if (!message.text().startsWith('Failed to load resource')) return false;
  return url === page.url() || (message.text().includes('status of 503') && url.includes('/images/v1/'));
}

/** Performs an action that navigates, and resolves when the new page is loading. */
export async function navigate(page: Page, act: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('framenavigated'), act()]);
}

/**
 * Changes fields of the form in `main` with this action, and submits it without validation by the
 * browser.
 *
 * @param action part of the action of the form
 */
export const submitForm = (page: Page, action: string, fields: Readonly<Record<string, string>> = {}): Promise<void> =>
  navigate(page, () =>
    page.evaluate(`{
      const form = document.querySelector('main form[action*="${action}"]');
      for (const [name, value] of Object.entries(${JSON.stringify(fields)})) form.elements.namedItem(name).value = value;
      form.submit();
    }`),
  );

/** Widths of a window of 1280 pixels at 400 % and 200 % zoom (WCAG 2.2, 1.4.10 and 1.4.4). */
const zoomedWidths = [320, 640];

/** Returns the widths, as at 400 % and 200 % zoom, in which the page scrolls sideways. */
export async function sidewaysScrolling(page: Page): Promise<number[]> {
  const size = page.viewportSize()!;
  const found: number[] = [];
  for (const width of zoomedWidths) {
    await page.setViewportSize({ width, height: 800 });
    if ((await page.evaluate<number>('document.documentElement.scrollWidth')) !== width) found.push(width);
  }
  await page.setViewportSize(size);
  return found;
}

/**
 * Returns whether a whole element is within the window, after the page has loaded and scrolled to
 * its fragment.
 */
export async function isInView(element: Locator): Promise<boolean> {
  await element.page().waitForLoadState('load');
  const { x, y, width, height } = (await element.boundingBox())!;
  const window = element.page().viewportSize()!;
  // Browsers scroll by whole pixels
  return x > -1 && y > -1 && x + width < window.width + 1 && y + height < window.height + 1;
}

const screenshotFolder = process.env.SCREENSHOTS;

/** Saves a screenshot of the page for each width, if SCREENSHOTS names a folder. */
export async function saveScreenshots(
  page: Page,
  name: string,
  widths: readonly number[] = [1280, 360],
): Promise<void> {
  if (!screenshotFolder) return;
  mkdirSync(screenshotFolder, { recursive: true });
  const size = page.viewportSize()!;
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await page.screenshot({ path: join(screenshotFolder, `${name}-${width}.png`), fullPage: true });
  }
  await page.setViewportSize(size);
}
