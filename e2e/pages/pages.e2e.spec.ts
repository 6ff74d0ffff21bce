import { gzipSync } from 'node:zlib';
import { brokenLinks, repeatedIds, violations } from '../support/axe.js';
import {
  describeInBrowser,
  type RealBrowser,
  saveScreenshots,
  sidewaysScrolling,
  startBrowser,
  submitForm,
  type Window,
} from '../support/browser.js';
import { baseUrl } from '../support/shop.js';
import { consentPath, makePageContent, type PageContent, longWord } from './page-content.js';

interface PageCase {
  readonly name: string;
  readonly who: 'stranger' | 'member';
  readonly path: (content: PageContent) => string;
  /**
   * Part of the action of a form on the page. The form is submitted with `fields`, and the page
   * after it is tested.
   */
  readonly send?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

const pages: readonly PageCase[] = [
  { name: 'front', who: 'stranger', path: () => '/' },
  { name: 'search', who: 'stranger', path: () => `/search?q=${longWord}` },
  { name: 'search-item', who: 'stranger', path: () => '/search?item=mug' },
  { name: 'search-nothing', who: 'stranger', path: () => '/search?q=nothing-has-this-name' },
  { name: 'sale', who: 'stranger', path: () => '/search?sale=yes' },
  { name: 'search-too-long', who: 'stranger', path: () => `/search?q=${'x'.repeat(101)}` },
  { name: 'creator', who: 'stranger', path: ({ userName }) => `/${userName}` },
  { name: 'creator-of-nothing', who: 'stranger', path: ({ fanName }) => `/${fanName}` },
  { name: 'product', who: 'stranger', path: ({ productPath }) => productPath },
  { name: 'other-angle', who: 'stranger', path: ({ productPath }) => `${productPath}?angle=back` },
  { name: 'sign-in', who: 'stranger', path: () => '/sign-in' },
  { name: 'sign-in-errors', who: 'stranger', path: () => '/sign-in', send: '/sign-in' },
  { name: 'sign-in-with-errors', who: 'stranger', path: () => '/sign-in/with/unknown/callback' },
  { name: 'sign-up', who: 'stranger', path: () => '/sign-up' },
  { name: 'sign-up-errors', who: 'stranger', path: () => '/sign-up', send: '/sign-up' },
  { name: 'goodbye', who: 'stranger', path: () => '/account/deleted' },
  { name: 'recovery-without-mail', who: 'stranger', path: () => '/account/recovery' },
  { name: 'expired-link', who: 'stranger', path: () => '/account/recovery/password?token=unknown' },
  { name: 'confirmation', who: 'stranger', path: () => '/account/email/confirmation?token=unknown' },
  { name: 'authorization-error', who: 'stranger', path: () => '/oauth/authorize?client_id=unknown' },
  { name: 'nothing', who: 'stranger', path: () => '/nothing/here' },
  { name: 'bad-address', who: 'stranger', path: () => '/search?offset=-1' },
  { name: 'problems', who: 'stranger', path: () => '/problems' },
  { name: 'problem', who: 'stranger', path: () => '/problems/texture.empty' },
  { name: 'guide', who: 'stranger', path: () => '/guide' },
  { name: 'own-product', who: 'member', path: ({ productPath }) => productPath },
  { name: 'list', who: 'stranger', path: ({ listPath }) => listPath },
  { name: 'own-list', who: 'member', path: ({ listPath }) => `${listPath}?done=created` },
  { name: 'secret-list', who: 'member', path: ({ secretListPath }) => secretListPath },
  { name: 'edit-list', who: 'member', path: ({ listPath }) => `${listPath}/edit` },
  {
    name: 'edit-list-errors',
    who: 'member',
    path: ({ listPath }) => `${listPath}/edit`,
    send: '/edit',
    fields: { title: '' },
  },
  { name: 'delete-list', who: 'member', path: ({ listPath }) => `${listPath}/delete` },
  { name: 'lists', who: 'member', path: () => '/choices' },
  { name: 'add-to-list', who: 'member', path: () => '/choices?product=1&variant=1' },
  { name: 'new-list', who: 'member', path: () => '/choices/new' },
  { name: 'new-list-errors', who: 'member', path: () => '/choices/new', send: '/choices/new' },
  {
    name: 'expired-button',
    who: 'member',
    path: ({ productPath }) => productPath,
    send: '/favorites',
    fields: { csrf: 'x' },
  },
  { name: 'favorites', who: 'member', path: () => '/favorites' },
  { name: 'notifications', who: 'member', path: () => '/activities' },
  { name: 'new-material', who: 'member', path: () => '/materials/new' },
  { name: 'new-material-errors', who: 'member', path: () => '/materials/new', send: '/materials/new' },
  {
    name: 'new-material-without-file',
    who: 'member',
    path: () => '/materials/new',
    send: '/materials/new',
    fields: { title: longWord },
  },
  { name: 'text-material', who: 'member', path: () => '/materials/new/text' },
  { name: 'text-material-errors', who: 'member', path: () => '/materials/new/text', send: '/materials/new/text' },
  { name: 'materials', who: 'member', path: () => '/materials' },
  { name: 'material', who: 'member', path: ({ materialPath }) => `${materialPath}?done=created` },
  { name: 'material-with-drafts', who: 'member', path: ({ draftsPath }) => draftsPath },
  { name: 'material-without-products', who: 'member', path: ({ emptyPath }) => emptyPath },
  { name: 'material-with-violation', who: 'member', path: ({ violationPath }) => violationPath },
  { name: 'product-with-violation', who: 'member', path: ({ violatingProductPath }) => violatingProductPath },
  { name: 'edit-material', who: 'member', path: ({ materialPath }) => `${materialPath}/edit` },
  {
    name: 'edit-material-errors',
    who: 'member',
    path: ({ materialPath }) => `${materialPath}/edit`,
    send: '/edit',
    fields: { title: '', price: 'x' },
  },
  { name: 'edit-product', who: 'member', path: ({ materialPath }) => `${materialPath}/items/1` },
  {
    name: 'edit-product-errors',
    who: 'member',
    path: ({ materialPath }) => `${materialPath}/items/1`,
    send: '/items/1',
    fields: { variant: '' },
  },
  { name: 'delete-material', who: 'member', path: ({ materialPath }) => `${materialPath}/delete` },
  { name: 'account', who: 'member', path: () => '/account' },
  { name: 'profile', who: 'member', path: () => '/account/profile' },
  {
    name: 'profile-errors',
    who: 'member',
    path: () => '/account/profile',
    send: '/account/profile',
    fields: { homePage: 'x' },
  },
  { name: 'email', who: 'member', path: () => '/account/email' },
  { name: 'email-errors', who: 'member', path: () => '/account/email', send: '/account/email' },
  { name: 'password', who: 'member', path: () => '/account/password' },
  { name: 'password-errors', who: 'member', path: () => '/account/password', send: '/account/password' },
  { name: 'delete', who: 'member', path: () => '/account/delete' },
  { name: 'delete-errors', who: 'member', path: () => '/account/delete', send: '/account/delete' },
  { name: 'permissions', who: 'member', path: () => '/account/applications' },
  { name: 'webhooks', who: 'member', path: () => '/account/webhooks' },
  { name: 'new-webhook', who: 'member', path: () => '/account/webhooks/new' },
  { name: 'new-webhook-errors', who: 'member', path: () => '/account/webhooks/new', send: '/webhooks/new' },
  { name: 'webhook', who: 'member', path: ({ webhookPath }) => `${webhookPath}?done=saved` },
  { name: 'edit-webhook', who: 'member', path: ({ webhookPath }) => `${webhookPath}/edit` },
  {
    name: 'edit-webhook-errors',
    who: 'member',
    path: ({ webhookPath }) => `${webhookPath}/edit`,
    send: '/edit',
    fields: { url: 'https://[::1]/' },
  },
  { name: 'rotate-webhook-secret', who: 'member', path: ({ webhookPath }) => `${webhookPath}/secret` },
  { name: 'webhook-secret', who: 'member', path: ({ webhookPath }) => `${webhookPath}/secret`, send: '/secret' },
  { name: 'delete-webhook', who: 'member', path: ({ webhookPath }) => `${webhookPath}/delete` },
  {
    name: 'application-webhooks',
    who: 'member',
    path: ({ application: { id } }) => `/applications/${id}/webhooks`,
  },
  {
    name: 'new-application-webhook',
    who: 'member',
    path: ({ application: { id } }) => `/applications/${id}/webhooks/new`,
  },
  { name: 'identities', who: 'member', path: () => '/account/identities' },
  { name: 'applications', who: 'member', path: () => '/applications' },
  { name: 'new-application', who: 'member', path: () => '/applications/new' },
  { name: 'new-application-errors', who: 'member', path: () => '/applications/new', send: '/applications/new' },
  { name: 'application', who: 'member', path: ({ application: { id } }) => `/applications/${id}` },
  {
    name: 'application-errors',
    who: 'member',
    path: ({ application: { id } }) => `/applications/${id}`,
    send: '/applications/',
    fields: { name: '', redirectUris: 'x' },
  },
  { name: 'delete-application', who: 'member', path: ({ application: { id } }) => `/applications/${id}/delete` },
  {
    name: 'delete-application-errors',
    who: 'member',
    send: '/delete',
    path: ({ application: { id } }) => `/applications/${id}/delete`,
  },
  { name: 'renew-secret', who: 'member', path: ({ application: { id } }) => `/applications/${id}/secret` },
  { name: 'secret', who: 'member', path: ({ application: { id } }) => `/applications/${id}/secret`, send: '/secret' },
  { name: 'key', who: 'member', path: () => '/applications/key' },
  { name: 'key-errors', who: 'member', path: () => '/applications/key', send: '/applications/key' },
  {
    name: 'key-shown',
    who: 'member',
    send: '/applications/key',
    fields: { password: 'a long password' },
    path: () => '/applications/key',
  },
  { name: 'replace-key', who: 'member', path: () => '/applications/key/replace' },
  { name: 'consent', who: 'member', path: ({ application }) => consentPath(application, 'read write') },
  { name: 'consent-to-more', who: 'member', path: ({ allowed }) => consentPath(allowed, 'read write') },
];

let content: PageContent;
beforeAll(async () => {
  content = await makePageContent();
});
afterAll(() => content.remove());

function sessionCookie(): { name: string; value: string; url: string } {
  const [name, value] = content.cookies.split('=') as [string, string];
  return { name, value, url: baseUrl };
}

/** Returns whether an error is on a page of the violating material, whose images are not found. */
const isWithdrawnImage = (complaint: string): boolean =>
  [content.violationPath, content.violatingProductPath].some((path) => complaint.startsWith(`${baseUrl}${path}: `));

describeInBrowser('every page', () => {
  let browser: RealBrowser;
  const windows = new Map<string, Window>();

  beforeAll(async () => {
    browser = await startBrowser();
    for (const language of ['en', 'ja'] as const)
      for (const who of ['stranger', 'member'] as const) {
        const window = await browser.open({ width: 320, language, script: true });
        if (who === 'member') await window.context.addCookies([sessionCookie()]);
        windows.set(`${who} ${language}`, window);
      }
  });
  afterAll(() => browser.close());

  it.each(pages)(
    '$name, for a $who, is accessible in both languages, and has enough contrast in the dark',
    async ({ name, who, path, send, fields }) => {
      const look = async (language: string): Promise<void> => {
        const window = windows.get(`${who} ${language}`)!;
        const { page } = window;
        await page.goto(path(content));
        if (send !== undefined) await submitForm(page, send, fields);
        const lang = await page.locator('html').getAttribute('lang');
        const found = [...(await violations(page)), ...(await brokenLinks(page)), ...(await repeatedIds(page))];
        const complaints = window.takeErrors().filter((it) => !isWithdrawnImage(it));
        expect({ language: lang, violations: found, complaints }).toEqual({ language, violations: [], complaints: [] });
        expect(await sidewaysScrolling(page)).toEqual([]);
        await saveScreenshots(page, `${name}-${language}`, [1280, 390]);
        if (language === 'ja') return;
        await page.emulateMedia({ colorScheme: 'dark' });
        expect(await violations(page, `runOnly: ['color-contrast']`)).toEqual([]);
        await saveScreenshots(page, `${name}-dark`, [1280, 390]);
        await page.emulateMedia({ colorScheme: 'light' });
      };
      // Waits for both languages, so that none is left when the next page is opened
      for (const result of await Promise.allSettled(['en', 'ja'].map(look)))
        if (result.status === 'rejected') throw result.reason;
    },
  );
});

describeInBrowser('the pages with images', () => {
  it('do not shift while images load, and paint the largest one early', async () => {
    const browser = await startBrowser();
    const { page, context } = await browser.open({ width: 360, script: true });
    await context.addCookies([sessionCookie()]);
    await page.addInitScript(`
      const vitals = { shift: 0, paint: Infinity };
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) vitals.shift += value;
      }).observe({ type: 'layout-shift', buffered: true });
      new PerformanceObserver((list) => {
        for (const { startTime } of list.getEntries()) vitals.paint = startTime;
      }).observe({ type: 'largest-contentful-paint', buffered: true });
      window.vitals = vitals;`);
    const { userName, productPath, listPath, materialPath } = content;
    for (const path of ['/', '/search?q=', `/${userName}`, productPath, listPath, materialPath]) {
      await page.goto(path, { waitUntil: 'networkidle' });
      const { shift, paint } = await page.evaluate<{ shift: number; paint: number }>('window.vitals');
      expect([path, shift, paint < 2_500 || paint]).toEqual([path, 0, true]);
    }
    await browser.close();
  });
});

describe('every page', () => {
  const withinMs = 50;
  const rows = pages.filter(({ send }) => send === undefined);
  const styles = async (html: string): Promise<string> => {
    const [, href] = /<link rel="stylesheet" href="([^"]+)"/.exec(html)!;
    return (await fetch(new URL(href!, baseUrl))).text();
  };
  const get = async (who: string, path: string): Promise<string> => {
    const headers = { accept: 'text/html', ...(who === 'member' && { cookie: content.cookies }) };
    return (await fetch(`${baseUrl}${path}`, { headers, redirect: 'manual' })).text();
  };

  it('has less than 100 KB including styles', async () => {
    for (const { name, who, path } of rows) {
      const html = await get(who, path(content));
      const size = Buffer.byteLength(html) + Buffer.byteLength(await styles(html));
      expect([name, size < 100_000 || size]).toEqual([name, true]);
    }
  });

  it('has less than 100 KB including styles at /docs, besides Swagger UI of less than 600 KB compressed', async () => {
    const html = await get('stranger', '/docs');
    expect(Buffer.byteLength(html) + Buffer.byteLength(await styles(html))).toBeLessThan(100_000);
    const files = html.match(/(?<=")\/(?:docs|assets)\/[^"]+\.(?:css|js)/g)!;
    expect(files.length).toBeGreaterThan(2);
    let compressed = 0;
    for (const path of files) {
      const { headers } = await fetch(`${baseUrl}${path}`, { headers: { 'accept-encoding': 'gzip' } });
      expect([path, headers.get('content-encoding')]).toEqual([path, 'gzip']);
      compressed += gzipSync(Buffer.from(await (await fetch(`${baseUrl}${path}`)).arrayBuffer())).length;
    }
    expect(compressed).toBeLessThan(600_000);
  });

  /**
   * Returns the shortest of at least three response times in milliseconds, until the last byte,
   * after a warm-up request. Sends up to 200 requests until one is within the limit, because other
   * work on the machine delays responses.
   */
  async function fastest(who: string, path: string): Promise<number> {
    await get(who, path);
    let best = Infinity;
    for (let turn = 0; turn < 3 || (turn < 200 && best >= withinMs); turn += 1) {
      const since = performance.now();
      await get(who, path);
      best = Math.min(best, performance.now() - since);
    }
    return best;
  }

  it(`is served within ${withinMs} ms`, async () => {
    for (const { name, who, path } of rows) {
      const took = await fastest(who, path(content));
      expect([name, took < withinMs || took]).toEqual([name, true]);
    }
  });
});
