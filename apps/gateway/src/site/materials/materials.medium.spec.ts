import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { imageKey, parseImagePath, problems, signDraft } from '#contracts';
import { DomainError } from '#kernel';
import { openBlobStore } from '#storage';
import { LargeBodies } from '../../edge/bodies/large-bodies.js';
import { type Browser, browse, type Opened } from '../../testing/browse.js';
import { baseUrl, GatewayStack } from '../../testing/gateway-stack.js';
import { RawClient } from '../../testing/raw-client.js';
import { names, product, variants } from '../../testing/shop-fixture.js';

let stack: GatewayStack;
let browser: Browser;
const calls: { name: string; payload: Record<string, unknown> }[] = [];
const payloadsOf = (name: string) => calls.filter((it) => it.name === name).map(({ payload }) => payload);
/** Bytes of the upload at the time of the call. */
let uploaded: Buffer | undefined;
let failure: DomainError | undefined;
let onCreate: (() => void) | undefined;
let itemVariants = variants;

const secret = 'a secret that is long enough for a key';
const session = 's'.repeat(43);
const hanako = { id: 1, name: 'Hanako', displayName: '花子', email: 'h@example.com', hasPassword: true };
const draft = product(6, { published: false, item: { ...product(6).item, id: 2, name: 'mug' } });
const warning = { itemId: 1, printPlace: 'front', code: 'low-resolution', message: '96 dpi on the front.' };
let described = { material: product(5).material, products: [product(5), draft], warnings: [warning] };
const printArea = { pixels: { width: 2_520, height: 3_360 }, millimetres: { width: 300, height: 400 } };
const itemDetail = {
  variants,
  category: { name: 'c', displayName: 'C' },
  colorsCount: 1,
  printAreas: { front: printArea },
};
const items = [
  { ...product(5).item, ...itemDetail, minPriceWithTax: 2_200 },
  { ...draft.item, ...itemDetail, minPriceWithTax: 1_000, isEmbroidery: true },
  { ...draft.item, id: 3, name: 'cushion', humanizeName: 'Cushion', ...itemDetail, minPriceWithTax: 2_200 },
];

const record = (name: string, payload: Record<string, unknown>) => {
  calls.push({ name, payload });
  if (failure) throw failure;
};

beforeAll(async () => {
  stack = await GatewayStack.start({
    'items.list': () => ({ items }),
    'items.names': () => names,
    'materials.get': () => {
      if (failure?.kind.code.startsWith('material.')) throw failure;
      return { material: described.material, products: described.products };
    },
    'materials.describe': (payload: Record<string, unknown>) => {
      record('materials.describe', payload);
      return described;
    },
    'products.get': () => {
      const detail = { ...described.products[0], itemVariants };
      return { products: detail, product: detail };
    },
    'materials.list': () => ({ materials: [described.material], meta: { hasNext: false } }),
    'materials.create': async (payload: Record<string, unknown>) => {
      const { key } = payload.texture as { key: string };
      uploaded = await readFile(join(stack.folder, key));
      onCreate?.();
      record('materials.create', payload);
      return described;
    },
    'materials.text': (payload: Record<string, unknown>) => {
      record('materials.text', payload);
      return described;
    },
    'materials.update': (payload: Record<string, unknown>) => {
      record('materials.update', payload);
      return described;
    },
    'materials.violation-reason': (payload: Record<string, unknown>) => {
      record('materials.violation-reason', payload);
      return { reason: 'not your <image>' };
    },
    'materials.delete': (payload: Record<string, unknown>) => {
      record('materials.delete', payload);
      return null;
    },
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
  });
  browser = browse(await stack.gateway({ MATERIAL_PRICE_MAX: '5000' }));
});
afterAll(() => stack.close());
beforeEach(() => {
  calls.length = 0;
  [uploaded, failure, onCreate, itemVariants] = [undefined, undefined, undefined, variants];
  described = { ...described, material: product(5).material, products: [product(5), draft], warnings: [warning] };
  browser.clearCookies();
  browser.setSession(session);
});

const image = Buffer.from('the bytes of an image');
const keyOf = ({ html }: Opened): string => /name="key" value="([^"]*)"/.exec(html)![1]!;

interface Upload {
  readonly fields?: Record<string, string>;
  readonly file?: Buffer | null;
  readonly csrf?: string;
  readonly key?: string;
}

async function upload({ fields = {}, file = image, ...more }: Upload = {}): Promise<Opened> {
  const opened = await browser.open('/materials/new');
  calls.length = 0;
  const form = new FormData();
  const given = { title: ' Sun ', description: '', price: '300', publish: 'yes', 'item-1': 'yes', ...fields };
  for (const [name, value] of Object.entries({ csrf: opened.csrf, key: keyOf(opened), ...more, ...given }))
    form.append(name, value);
  // Browsers send an empty part without a name if no file is selected
  form.append('file', new Blob(file ? [file] : []), file ? 'sun.png' : '');
  return browser.open('/materials/new', {}, 'POST', form);
}
const remainingUploads = () => readdir(join(stack.folder, 'uploads')).catch(() => []);

describe('the form that creates a material', () => {
  it('offers all items but embroidery, selected and published by default, with a limit for the file', async () => {
    const { status, html, headers } = await browser.open('/materials/new');
    expect(status).toBe(200);
    expect(html.match(/name="item-\d+" value="yes" checked/g)).toEqual(
      [1, 3].map((id) => `name="item-${id}" value="yes" checked`),
    );
    expect(html).toMatch(/name="publish" value="yes"[^>]* checked/);
    // The price of the variant that a new product has, not the lowest price of the item
    expect(html).toContain('Standard T-shirt <span class="muted">¥2,420 · 2,520\u00a0×\u00a03,360\u00a0px</span>');
    expect(html).toMatch(/name="price"[^>]* inputmode="numeric"/);
    expect(headers.get('content-security-policy')).toContain("script-src 'self'; connect-src 'self'");
    const [, script] = /<script defer src="([^"]*)">/.exec(html)!;
    expect((await browser.open(script!)).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it('streams the file to the blob store, creates the material, and deletes the upload', async () => {
    const { status, headers } = await upload();
    expect([status, headers.get('location')]).toEqual([303, '/materials/7?done=created']);
    expect(payloadsOf('materials.create')).toEqual([
      {
        viewerId: 1,
        texture: { kind: 'upload', key: expect.stringMatching(/^uploads\/[\w-]{36}$/) },
        title: 'Sun',
        description: null,
        price: 300,
        products: [{ itemId: 1, published: true, sub_materials: [] }],
        language: 'en',
        idempotency: {
          key: expect.stringMatching(/^form [\w-]{36} [0-9a-f]{16}$/),
          fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    ]);
    expect([uploaded, await remainingUploads()]).toEqual([image, []]);
  });

  it('accepts full-width digits', async () => {
    await upload({ fields: { price: '３００' } });
    expect(payloadsOf('materials.create')).toMatchObject([{ price: 300 }]);
  });

  it('says that a material without selected items has no products', async () => {
    described = { ...described, products: [], warnings: [] };
    const { headers } = await upload();
    expect(headers.get('location')).toBe('/materials/7?done=empty');
    const { html } = await browser.open('/materials/7?done=empty');
    expect(html).toContain('Your material has been created. To create products, select items under “More products”.');
    expect(html).toContain('<details open><summary>More products</summary>');
  });

  it('has the same idempotency key when it is submitted twice, and another one after a change', async () => {
    const key = keyOf(await browser.open('/materials/new'));
    const keys = [];
    for (const title of ['Sun', 'Sun', 'Moon']) {
      await upload({ key, fields: { title } });
      keys.push((payloadsOf('materials.create')[0]!.idempotency as { key: string }).key);
    }
    expect([keys[0] === keys[1], keys[0] === keys[2]]).toEqual([true, false]);
  });

  it('waits for the response of the first submission', async () => {
    failure = new DomainError(problems['idempotency-key.in-progress'], 'In progress.');
    const response = upload();
    setTimeout(() => (failure = undefined), 1_500);
    expect([(await response).status, payloadsOf('materials.create').length]).toEqual([303, 3]);
  });

  it.each<[string, Upload, string]>([
    ['without a file', { file: null }, 'file'],
    ['with an empty file', { file: Buffer.alloc(0) }, 'file'],
    ['with a file over 20 MB', { file: Buffer.alloc(20 * 1024 * 1024 + 1) }, 'file'],
    ['without a title', { fields: { title: '' } }, 'title'],
    ['with a negative margin', { fields: { price: '-1' } }, 'price'],
    ['with two errors, of which one is the file', { file: null, fields: { title: '' } }, 'file'],
    ['with two errors, of which one is the title', { file: null, fields: { title: '' } }, 'title'],
    ['with a margin over the maximum', { fields: { price: '5001' } }, 'price'],
  ])('is shown again with an error %s, and stores nothing', async (_, given, field) => {
    const { status, html } = await upload(given);
    expect([status, /aria-invalid="true"/.test(html), html.includes(`id="${field}-error"`)]).toEqual([422, true, true]);
    expect([payloadsOf('materials.create'), await remainingUploads()]).toEqual([[], []]);
  });

  it('asks for the file again after another error, and for a first one if there was none', async () => {
    const again = 'id="file-error">Select the image again.';
    for (const { html } of [await upload({ fields: { title: '' } }), await upload({ fields: { price: '5001' } })])
      expect(html).toContain(again);
    expect((await upload({ file: null, fields: { title: '' } })).html).toContain('id="file-error">Select an image.');
    failure = new DomainError(problems['rate-limit.exceeded'], 'Too many.');
    expect((await upload()).html).toContain(again);
  });

  it('states the maximum margin', async () => {
    for (const path of ['/materials/new', '/materials/new/text', '/materials/7/edit'])
      expect((await browser.open(path)).html).toContain('At most 5,000 yen.');
  });

  it('assigns errors of the image to its field, and preserves the other fields', async () => {
    failure = new DomainError(problems['texture.not-decoded'], 'Damaged.');
    const { status, html } = await upload({ fields: { title: '<b>Sun</b>' } });
    expect([status, html.includes('id="file-error"')]).toEqual([422, true]);
    expect(html).toContain('value="&lt;b&gt;Sun&lt;/b&gt;"');
  });

  it('stores nothing without the CSRF token or a session', async () => {
    expect((await upload({ csrf: 'x' })).status).toBe(403);
    expect((await upload({ csrf: 'x', file: Buffer.alloc(20 * 1024 * 1024) })).status).toBe(403);
    browser.clearCookies();
    const { csrf } = await browser.open('/sign-in');
    const form = new FormData();
    form.append('csrf', csrf);
    form.append('file', new Blob([image]), 'sun.png');
    const { status, headers } = await browser.open('/materials/new', {}, 'POST', form);
    expect([status, headers.get('location')?.startsWith('/sign-in?to=')]).toEqual([303, true]);
    expect([calls, await remainingUploads()]).toEqual([[], []]);
  });

  it.each([
    ['/sign-in', 415],
    ['/account/profile', 415],
    // invalid_request of OAuth
    ['/oauth/token', 400],
    ['/api/v1/materials', 401],
  ])('is the only form with a file: %s', async (path, status) => {
    const form = new FormData();
    form.append('file', new Blob([image]), 'sun.png');
    expect((await browser.open(path, { accept: 'application/json' }, 'POST', form)).status).toBe(status);
  });

  it.each([
    ['too many fields', Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`item-${n}`, 'yes']))],
    ['a large field', { description: 'x'.repeat(50_000) }],
    ['fields over 128 KB', Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`item-${n}`, 'x'.repeat(2_000)]))],
  ])('is rejected with %s', async (_, fields) => {
    expect([(await upload({ fields })).status, payloadsOf('materials.create')]).toEqual([413, []]);
  });

  it('needs a permit for a large body only, until the file is stored', async () => {
    const acquired = jest.spyOn(LargeBodies.prototype, 'acquire');
    const released = jest.spyOn(LargeBodies.prototype, 'release');
    await upload();
    expect(acquired).not.toHaveBeenCalled();
    let releasedBeforeUse = 0;
    onCreate = () => {
      const request = acquired.mock.calls[0]?.[0];
      releasedBeforeUse = released.mock.calls.filter(([it]) => it === request).length;
    };
    await upload({ file: Buffer.alloc(1024 * 1024) });
    expect([acquired.mock.calls.length, releasedBeforeUse]).toEqual([1, 1]);
    acquired.mockRestore();
    released.mockRestore();
  });

  describe('on a slow connection', () => {
    /** Opens a connection, and sends the form up to its file. */
    async function begin(length: number): Promise<RawClient> {
      const origin = await stack.gateway({}, { checkEveryMs: 20, requestMs: 400, responseMs: 600, exchangeMs: 600 });
      const { csrf, ...opened } = await browser.open('/materials/new');
      const client = await RawClient.to(origin);
      const fields = { csrf, key: keyOf({ csrf, ...opened }), title: 'Sun', description: '', price: '' };
      const lines = ['POST /materials/new HTTP/1.1', 'Host: x', `Cookie: __Host-session=${session}`];
      client.send([...lines, 'Content-Type: multipart/form-data; boundary=x', ''].join('\r\n'));
      const parts = Object.entries(fields).map(
        ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      client.send(`Content-Length: ${parts.join('').length + length}\r\n\r\n${parts.join('')}`);
      return client;
    }
    const fileHead = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
    const end = '\r\n--x--\r\n';

    it('has the time that the file takes at the minimum rate', async () => {
      const client = await begin(fileHead.length + 1_200_000 + end.length);
      client.send(fileHead);
      for (let sent = 0; sent < 12; sent++) {
        client.send('x'.repeat(100_000));
        await sleep(120);
      }
      expect(client.received).toBe('');
      client.send(end);
      await client.waitForResponses(1);
      expect([client.statuses, uploaded?.length]).toEqual([[303], 1_200_000]);
      client.socket.destroy();
    });

    it('gets 408 if its fields do not arrive in time', async () => {
      const client = await begin(2_000_000);
      await client.waitForResponses(1);
      expect([client.statuses, calls]).toEqual([[408], []]);
      client.socket.destroy();
    });
  });

  it('is rejected if it is malformed', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const { status } = await browser.open('/materials/new', headers, 'POST', '--x\r\nno header');
    expect([status, calls]).toEqual([400, []]);
  });
});

describe('the form that creates a material from a text', () => {
  const minimal = { title: '', description: '', price: '' };

  it('publishes the T-shirt by default, and requires no title', async () => {
    const { html } = await browser.open('/materials/new/text');
    expect(html).toMatch(/name="publish" value="yes"[^>]* checked/);
    expect(html).toMatch(/<input id="title"(?![^>]* required)/);
  });

  it.each([
    [
      { title: ' Greeting ', description: 'Warm.', price: '300', publish: 'yes' },
      { title: 'Greeting', description: 'Warm.', price: 300, published: true },
    ],
    [minimal, { description: null, price: 0, published: false }],
  ])('creates a T-shirt: %j', async (fields, sent) => {
    const opened = await browser.open('/materials/new/text');
    const form = { csrf: opened.csrf, key: keyOf(opened), text: 'Hello\r\nworld', ...fields };
    const { status, headers } = await browser.send('/materials/new/text', form);
    expect([status, headers.get('location')]).toEqual([303, '/materials/7?done=created']);
    const idempotency = expect.objectContaining({ key: expect.stringContaining(`form ${form.key} `) });
    const material = { viewerId: 1, text: 'Hello\nworld', language: 'en', idempotency, ...sent };
    expect(payloadsOf('materials.text')).toEqual([material]);
  });

  it('is shown again with the error of a title, and with the other fields', async () => {
    const opened = await browser.open('/materials/new/text');
    const form = { csrf: opened.csrf, key: keyOf(opened), text: 'Hello', ...minimal, description: 'Warm.' };
    const { status, html } = await browser.send('/materials/new/text', { ...form, title: 'x'.repeat(256) });
    expect([status, html.includes('id="title-error"'), payloadsOf('materials.text')]).toEqual([422, true, []]);
    expect([html.includes('>\nWarm.</textarea>'), / checked/.test(html)]).toEqual([true, false]);
  });

  const submitText = async (message: string, code: 'text.blank' | 'text.not-printable', language = 'en') => {
    failure = new DomainError(problems[code], 'No.', [{ path: 'body.text', message }]);
    const headers = { 'accept-language': language };
    const opened = await browser.open('/materials/new/text', headers);
    const form = { csrf: opened.csrf, key: keyOf(opened), text: '☃', ...minimal };
    return /id="text-error">([^<]*)</.exec((await browser.send('/materials/new/text', form, headers)).html)?.[1];
  };

  it('shows at its field which characters cannot be printed', async () => {
    const message = 'has characters that are in none of the fonts: ☃ (U+2603), 🫠 (U+1FAE0) and 3 more';
    expect(await submitText(message, 'text.not-printable')).toBe(
      'The text contains characters that cannot be printed: ☃ (U+2603), 🫠 (U+1FAE0) and 3 more. Remove them.',
    );
    expect(await submitText('has characters: ☃ (U+2603)', 'text.not-printable', 'ja')).toBe(
      '印刷できない文字が含まれています：☃ (U+2603)。削除してください。',
    );
  });

  it('shows at its field that the text is blank', async () => {
    expect(await submitText('must contain visible characters', 'text.blank')).toBe(
      'Enter text with visible characters.',
    );
  });
});

describe('the page of a material', () => {
  it('shows its products, drafts and print warnings', async () => {
    const { status, html } = await browser.open('/materials/7?done=created');
    expect([status, calls]).toEqual([
      200,
      [{ name: 'materials.describe', payload: { viewerId: 1, materialId: 7, language: 'en' } }],
    ]);
    for (const text of ['Your products have been created.', 'Standard T-shirt: 96 dpi on the front.', 'Not published'])
      expect(html).toContain(text);
    expect([...html.matchAll(/name="(publish|unpublish)" value="(\w+)"/g)].map(([, ...it]) => it.join(' '))).toEqual([
      'publish all',
      'unpublish 1',
      'publish 2',
      'publish 3',
    ]);
    expect(html).toContain(
      'aria-label="Create and publish Cushion ¥2,420">Cushion <span class="muted">¥2,420</span></button>',
    );
  });

  it.each([
    ['low-resolution', 'create a new material with another image.'],
    ['cropped', 'edit the product and select “Show the whole image”.'],
  ])('says how to improve a print with the warning %s', async (code, hint) => {
    described = { ...described, warnings: [{ ...warning, code }] };
    const { html } = await browser.open('/materials/7');
    const hints = [/create a new material[^<.]*\./, /edit the product[^<.]*\./].flatMap(
      (it) => it.exec(html)?.[0] ?? [],
    );
    expect(hints).toEqual([hint]);
  });

  it('with a print of nothing does not say that it can be sold, but what to do', async () => {
    described = { ...described, warnings: [{ ...warning, code: 'fully-transparent' }, warning] };
    const { html } = await browser.open('/materials/7');
    expect(/<details class="notice" open>[^]*?<p>([^<]*)</.exec(html)?.[1]).toBe(
      'For a visible print, delete this material and create a new one with another image.',
    );
  });

  it.each([
    [{ publish: '2' }, '?done=product&item=2#item-2', [{ itemId: 2, published: true }]],
    [{ unpublish: '1' }, '?done=product&item=1#item-1', [{ itemId: 1, published: false }]],
    [
      { publish: 'all' },
      '?done=published',
      [
        { itemId: 1, published: true },
        { itemId: 2, published: true },
      ],
    ],
  ])('publishes and unpublishes products: %j', async (form, path, products) => {
    const { csrf } = await browser.open('/materials/7');
    const { status, headers } = await browser.send('/materials/7/publication', { csrf, ...form });
    expect([status, headers.get('location')]).toEqual([303, `/materials/7${path}`]);
    expect(payloadsOf('materials.update')).toEqual([{ viewerId: 1, materialId: 7, language: 'en', products }]);
  });

  it.each([
    ['done=product&item=2', ['item-2', 'The product has been updated.']],
    ['done=product&item=9', ['The product has been updated.']],
    ['done=published', ['The products have been updated.']],
    ['item=2', ['item-2']],
  ])('shows one notice, in the changed product if there is one: %s', async (query, expected) => {
    const { html } = await browser.open(`/materials/7?${query}`);
    const found = [...html.matchAll(/id="(item-2)"|<p class="notice good" role="status">([^<]*)</g)];
    const isInProduct = expected[0] === 'item-2';
    const all = isInProduct ? expected : [...expected, 'item-2'];
    expect(found.map(([, id, notice]) => id ?? notice)).toEqual(all);
  });

  it('says that images are being prepared until they are rendered', async () => {
    const filePath = '7/1-2x2.png';
    const imageOf = (h: string) =>
      `${baseUrl}/images/v1/500x500/t-shirt/s/white/front/${filePath}.webp?h=${h}&printed=true`;
    const sampleImageUrl = imageOf(signDraft(filePath, 't-shirt', secret));
    described = { ...described, products: [{ ...product(5), sampleImageUrl }] };
    const scripts = /<script[^>]*rendering\.\w+\.js/;
    const isPreparing = async () => {
      const { html } = await browser.open('/materials/7');
      const isShown = html.includes('still being prepared');
      expect(scripts.test(html)).toBe(isShown);
      return isShown;
    };
    expect(await isPreparing()).toBe(true);
    const image = parseImagePath(new URL(sampleImageUrl).pathname.slice('/images/v1/'.length), { printed: 'true' })!;
    await openBlobStore(pathToFileURL(stack.folder).href).put(imageKey({ ...image, draft: true }), Buffer.from('x'));
    expect(await isPreparing()).toBe(false);
  });

  it('says that a material violates the rules, and why', async () => {
    described = { ...described, material: { ...described.material, violation: true } };
    const { html } = await browser.open('/materials/7');
    expect(html).toContain('Only you can see it and its products. Reason: not your &lt;image&gt;</p>');
    expect(payloadsOf('materials.violation-reason')).toEqual([{ viewerId: 1, materialId: 7 }]);
  });

  it('has words instead of withdrawn images', async () => {
    const material = { ...described.material, violation: true };
    described = { ...described, material, products: [product(5, {}, { violation: true })] };
    const { html } = await browser.open('/materials/7');
    expect(html).toContain('<span class="no-image">The image has been withdrawn.</span>');
    expect(html).not.toContain('<img');
  });

  it('is forbidden to another user', async () => {
    described = { ...described, material: { ...described.material, user: { ...described.material.user, id: 2 } } };
    expect((await browser.open('/materials/7')).status).toBe(403);
  });

  it('is changed by a form, whose errors are shown', async () => {
    const { csrf, html } = await browser.open('/materials/7/edit');
    expect(html).toContain('value="Lighthouse"');
    const values = { csrf, title: 'Sun', description: 'Warm.', price: '10' };
    expect((await browser.send('/materials/7/edit', { ...values, title: '' })).status).toBe(422);
    expect((await browser.send('/materials/7/edit', values)).status).toBe(303);
    expect(payloadsOf('materials.update').at(-1)).toMatchObject({ title: 'Sun', description: 'Warm.', price: 10 });
  });

  it('is deleted after a page that names what is lost', async () => {
    const { csrf, html } = await browser.open('/materials/7/delete');
    expect(html).toContain('“Lighthouse” and its 2 products will be deleted');
    expect(html).toContain('removed from all lists');
    const { status, headers } = await browser.send('/materials/7/delete', { csrf });
    expect([status, headers.get('location')]).toEqual([303, '/materials?done=deleted']);
    expect(payloadsOf('materials.delete')).toEqual([{ viewerId: 1, materialId: 7 }]);
    failure = new DomainError(problems['material.not-found'], 'Deleted.');
    const again = await browser.send('/materials/7/delete', { csrf });
    expect([again.status, again.headers.get('location')]).toEqual([303, '/materials?done=deleted']);
    failure = new DomainError(problems['material.not-owned'], 'Of another user.');
    expect((await browser.send('/materials/7/delete', { csrf })).status).toBe(403);
  });

  it('is deleted without a word about products if it has none', async () => {
    described = { ...described, products: [] };
    expect((await browser.open('/materials/7/delete')).html).toContain('“Lighthouse” will be deleted, with its image.');
    expect((await browser.open('/materials/7/delete', { 'accept-language': 'ja' })).html).toContain(
      '「Lighthouse」を画像とともに削除します。',
    );
  });

  it.each(['material.not-owned', 'material.not-found'] as const)('is not shown to others: %s', async (code) => {
    failure = new DomainError(problems[code], 'Of another user.');
    for (const path of ['', '/edit', '/delete'])
      expect((await browser.open(`/materials/7${path}`)).status).toBe(problems[code].status);
    expect((await browser.open('/materials/x')).status).toBe(404);
  });
});

describe('the form of a product', () => {
  const submit = async (form: Record<string, string>, path = '/materials/7/items/1') => {
    const { csrf } = await browser.open('/materials/new/text');
    calls.length = 0;
    return browser.send(path, { csrf, ...form });
  };

  it('shows its variant, resize mode and publication', async () => {
    const { status, html } = await browser.open('/materials/7/items/1');
    expect([status, html.match(/<option[^>]* selected>[^<]*/g)]).toEqual([
      200,
      ['<option value="1" selected>White · S'],
    ]);
    expect(html.match(/value="(?:contain|cover)" required(?: checked)?/g)).toEqual([
      'value="cover" required checked',
      'value="contain" required',
    ]);
    expect(html).toMatch(/name="published" value="yes" checked/);
  });

  it.each([
    ['cover', null, {}],
    ['contain', null, { resizeMode: 'contain' }],
    ['contain', 'contain' as const, {}],
    ['cover', 'contain' as const, { resizeMode: 'cover' }],
  ])('sends the mode %s of a product with the mode %s only if it changes', async (sent, resizeMode, change) => {
    described = { ...described, products: [{ ...product(5), resizeMode }] };
    await submit({ variant: '1', resizeMode: sent });
    expect(payloadsOf('materials.update')[0]!.products).toEqual([{ itemId: 1, ...change, published: false }]);
  });

  it('offers no mode for an item with one mode, and leaves it unchanged', async () => {
    const { html } = await browser.open('/materials/7/items/2');
    expect(html).not.toContain('name="resizeMode"');
    expect((await submit({ variant: '1', published: 'yes' }, '/materials/7/items/2')).status).toBe(303);
    expect(payloadsOf('materials.update')[0]!.products).toEqual([{ itemId: 2, published: true }]);
  });

  it('changes them', async () => {
    described = { ...described, products: [{ ...product(5), resizeMode: 'contain' }] };
    const { status, headers } = await submit({ variant: '3', resizeMode: 'cover' });
    expect([status, headers.get('location')]).toEqual([303, '/materials/7?done=product&item=1#item-1']);
    const change = { itemId: 1, exemplaryItemVariantId: 3, resizeMode: 'cover', published: false };
    expect(payloadsOf('materials.update')).toMatchObject([{ viewerId: 1, materialId: 7, products: [change] }]);
  });

  it('offers no disabled variant except the present one, which may remain', async () => {
    const [first, second, third] = variants;
    itemVariants = [{ ...first!, enabled: false }, { ...second!, enabled: false }, third!];
    const { html } = await browser.open('/materials/7/items/1');
    expect(html.match(/<option[^>]*>[^<]*/g)).toEqual([
      '<option value="1" selected>White · S (no longer available)',
      '<option value="3">Navy · M',
    ]);
    expect((await submit({ variant: '1', resizeMode: 'contain' })).status).toBe(303);
    expect(payloadsOf('materials.update')[0]!.products).toEqual([
      { itemId: 1, resizeMode: 'contain', published: false },
    ]);
  });

  it('shows errors at their fields', async () => {
    const invalid = await submit({ variant: 'x', resizeMode: 'stretch' });
    expect([invalid.status, invalid.html.includes('id="resizeMode-error"')]).toEqual([422, true]);
    expect(invalid.html).toMatch(/<select id="variant"[^>]*variant-error" aria-invalid="true"/);
    expect(invalid.html).toContain('<p class="error" id="variant-error">Select a color and size.</p>');
    failure = new DomainError(problems['resize-mode.not-allowed'], 'No.');
    const { html } = await submit({ variant: '3', resizeMode: 'cover' });
    expect(html).toContain('This item cannot be covered completely.');
  });

  it.each([
    ['item-variant.not-of-item', 'This item does not have this color and size.'],
    ['print-place.not-of-item', 'This color and size cannot be printed in every place'],
  ] as const)('shows %s at the variant', async (code, text) => {
    failure = new DomainError(problems[code], 'No.');
    const { html } = await submit({ variant: '3', resizeMode: 'contain' });
    expect(html).toContain(`<p class="error" id="variant-error">${text}`);
  });

  it.each(['/materials/7/items/9', '/materials/7/items/x', '/materials/x/items/1'])(
    'is not found: %s',
    async (path) => {
      expect((await browser.open(path)).status).toBe(404);
    },
  );

  it('is not found for another user', async () => {
    described = { ...described, material: { ...described.material, user: { ...described.material.user, id: 2 } } };
    expect([(await submit({ variant: '3', resizeMode: 'contain' })).status, calls]).toEqual([404, []]);
  });
});

it('the list of materials redirects from an empty page to the first one', async () => {
  const listOf = stack.handlers['materials.list']!;
  stack.handlers['materials.list'] = () => ({ materials: [], meta: { hasNext: false } });
  const { status, headers } = await browser.open('/materials?offset=24&done=deleted');
  expect([status, headers.get('location')]).toEqual([303, '/materials?done=deleted']);
  stack.handlers['materials.list'] = listOf;
});

it('the list of materials marks unpublished ones, without invisible characters in titles', async () => {
  described = { ...described, material: { ...described.material, published: false, title: 'Light\u202ehouse' } };
  const { html } = await browser.open('/materials');
  expect(html).toMatch(/href="\/materials\/7">Lighthouse<\/a> <span class="badge">Not published/);
  described = { ...described, material: { ...described.material, violation: true, title: '\u202e' } };
  const hidden = await browser.open('/materials');
  expect(hidden.html).toMatch(/href="\/materials\/7">–<\/a> <span class="badge sale">Violates the rules</);
});
