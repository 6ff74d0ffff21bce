import { type Page } from 'playwright-core';
import { eventually } from '#testing';
import { authorizePath, type Application, decide, register, signedIn } from '../oauth/oauth-clients.js';
import { createPromotion, deletePromotion, violate } from '../support/back-office.js';
import { describeInBrowser, type RealBrowser, startBrowser, submitForm } from '../support/browser.js';
import { api, baseUrl, newMaterial, newUsers, type User } from '../support/shop.js';
import { newEndpoint } from '../support/webhooks.js';

/** Text that adds elements with class `injected` and runs a script where it is not escaped. */
const markup = `'"><img class=injected src=x onerror=injected=1></textarea><script class=injected>injected=1</script>`;
/** Such a text with at most 100 characters, for names of applications and searches. */
const shortMarkup = `'"><img class=injected src=x onerror=injected=1><script class=injected>injected=1</script>`;
/** Text with characters that reverse the direction of the following text. */
const bidiText = 'Sun\u202esdrawkcab\u2067';

const redirectUri = 'https://posters.example.com/callback';

describeInBrowser('a text with markup', () => {
  let browser: RealBrowser;
  let page: Page;
  let creator: User;
  let fan: User;

  beforeAll(async () => {
    [browser, [creator, fan]] = await Promise.all([startBrowser(), newUsers(2) as Promise<[User, User]>]);
    page = await signIn(creator);
  });
  afterAll(() => browser.close());

  async function signIn({ name }: User): Promise<Page> {
    const window = await browser.open({ width: 1280, script: true });
    // Pages load without images, because rendering them would take most of the time
    await window.page.route('**/images/v1/**', (route) => route.abort());
    await window.page.goto('/sign-in?to=/account');
    await submitForm(window.page, '/sign-in', { login: name, password: 'a long password' });
    await window.page.waitForURL('**/account');
    return window.page;
  }

  /** Expects that the page shows the text, and contains no element and ran no script of it. */
  async function check(at: Page, text = shortMarkup): Promise<void> {
    const found = await at.evaluate<object>(`({
      elements: document.querySelectorAll('.injected, [onerror]').length,
      hasRun: 'injected' in window && !(window.injected instanceof Element),
      isShown: (document.body.textContent + [...document.querySelectorAll('input, textarea, [aria-label]')]
        .map((it) => it.value + it.getAttribute('aria-label')).join()).includes(${JSON.stringify(text)}),
    })`);
    expect([at.url(), found]).toEqual([at.url(), { elements: 0, hasRun: false, isShown: true }]);
  }

  async function send(path: string, fields: Record<string, string>, action = path): Promise<void> {
    await page.goto(path);
    await submitForm(page, action, fields);
  }

  it('is escaped on every page that contains it', async () => {
    await send('/account/profile', { displayName: shortMarkup, about: shortMarkup });
    await send('/materials/new/text', { text: shortMarkup });
    const material = new URL(page.url()).pathname;
    await send(`${material}/edit`, { title: shortMarkup, description: shortMarkup });
    const { products } = (await api('GET', material, { token: creator.apiKey })).body;
    const product = new URL(products[0].sampleUrl).pathname;
    await api('PUT', material, {
      token: creator.apiKey,
      body: { products: [{ itemId: products[0].item.id, published: true }] },
    });
    await send('/choices/new', { title: shortMarkup, description: shortMarkup });
    const list = new URL(page.url()).pathname;
    await api('POST', `${list}/products`, { token: creator.apiKey, body: { productId: products[0].id } });
    await api('POST', `/products/${products[0].id}/favorites`, { token: creator.apiKey, body: { count: 1 } });
    await send('/applications/new', {
      name: shortMarkup,
      description: shortMarkup,
      kind: 'confidential',
      redirectUris: redirectUri,
    });
    await page.goto('/applications');
    const application = new URL((await page.locator('main .cards a').first().getAttribute('href'))!, baseUrl).pathname;
    await page.goto(application);
    const clientId = await page.locator('main code').first().textContent();
    const consent = authorizePath({
      response_type: 'code',
      client_id: clientId!,
      redirect_uri: redirectUri,
      scope: 'read',
    });
    const promotion = await createPromotion(shortMarkup, 'event', `${baseUrl}/search`);
    const of = (path: string, ...below: string[]): string[] => ['', ...below].map((more) => path + more);
    try {
      for (const path of [
        '/',
        `/${creator.name}`,
        product,
        '/favorites',
        '/materials',
        '/account',
        '/account/profile',
        '/choices',
        '/applications',
        consent,
        `/search?q=${encodeURIComponent(shortMarkup)}`,
        ...of(material, '/edit', '/delete', `/items/${products[0].item.id}`),
        ...of(list, '/edit', '/delete'),
        ...of(application, '/delete'),
      ]) {
        await page.goto(path);
        await check(page);
      }
    } finally {
      await deletePromotion(promotion.id);
    }
    await decide(await signedIn(creator), consent);
    await page.goto('/account/applications');
    await check(page);
    await api('PUT', '/user', { token: fan.apiKey, body: { displayName: shortMarkup } });
    await api('POST', `/products/${products[0].id}/favorites`, { token: fan.apiKey, body: { count: 1 } });
    await eventually('the notification', async () => {
      await page.goto('/activities');
      return (await page.getByRole('main').textContent())!.includes(shortMarkup);
    });
    await check(page);
    await violate(Number(material.split('/')[2]), shortMarkup);
    await page.goto(material);
    await check(page);
  });

  it('is escaped in a rejected form', async () => {
    const stranger = (await browser.open({ width: 1280, script: true })).page;
    const long = markup.padEnd(10_001, 'x');
    for (const [at, path, fields] of [
      [stranger, '/sign-in', { login: markup }],
      [stranger, '/sign-up', { name: markup, email: markup }],
      [page, '/account/profile', { displayName: markup, about: long, homePage: markup }],
      [page, '/account/email', { email: markup }],
      [page, '/account/delete', { confirmation: markup }],
      [page, '/materials/new', { title: markup, description: markup, price: 'x' }],
      [page, '/materials/new/text', { text: markup, price: 'x' }],
      [page, '/choices/new', { title: '', description: markup }],
      [page, '/account/webhooks/new', { url: '', description: markup }],
      [page, '/applications/new', { name: '', description: markup, homePage: markup, redirectUris: markup }],
    ] as const) {
      await at.goto(path);
      await submitForm(at, path, fields);
      await check(at, markup);
    }
    await stranger.goto(`/search?q=${encodeURIComponent(markup.padEnd(200, 'x'))}`);
    expect(await stranger.locator('.injected').count()).toBe(0);
  });

  it('cannot change the direction of other text', async () => {
    for (const [path, field] of [
      ['/account/profile', 'displayName'],
      ['/choices/new', 'title'],
      ['/applications/new', 'name'],
    ] as const) {
      await page.goto(path);
      await submitForm(page, path, { [field]: bidiText });
      expect([path, await page.getByRole('alert').count()]).toEqual([path, 1]);
    }
  });
});

describe('a form with the id of another user', () => {
  it('changes nothing', async () => {
    const [owner, other] = (await newUsers(2)) as [User, User];
    const [draft, shown] = await Promise.all(
      [false, true].map((published) => newMaterial(owner, { products: [{ itemId: 1, published }] })),
    );
    const token = owner.apiKey;
    const { choice } = (
      await api('POST', '/choices', {
        token,
        body: { title: 'Summer', choiceProducts: [{ productId: shown.products[0].id }] },
      })
    ).body;
    const [own, person] = await Promise.all([signedIn(owner), signedIn(other)]);
    const application: Application = await register(own, { name: 'Posters', redirectUris: redirectUri });
    const endpoint = await newEndpoint(owner);
    const state = async () => {
      const paths = [
        '/materials',
        `/products/${draft.products[0].id}/favorites`,
        `/choices?userId=${owner.id}`,
        `/choices/${choice.id}/products`,
      ];
      const bodies = await Promise.all(
        [...paths, `/materials/${draft.material.id}`, `/materials/${shown.material.id}`].map((path) =>
          api('GET', path, { token }),
        ),
      );
      return [
        ...bodies.map(({ status, body }) => (status === 200 ? body : { status })),
        (await own.open(`/applications/${application.id}`)).status,
        (await own.open(`/account/webhooks/${endpoint}`)).status,
      ];
    };
    const before = await state();
    const { csrf } = await person.open('/materials/new/text');
    const product = String(shown.products[0].id);
    const hidden = String(draft.products[0].id);
    const entry = `${product}-${shown.products[0].sampleItemVariant.id}`;
    const item = { variant: '1', resizeMode: 'contain' };
    const forms: [string, Record<string, string>][] = [
      [`/materials/${shown.material.id}/edit`, { title: 'x', description: '', price: '0' }],
      [`/materials/${draft.material.id}/publication`, { publish: 'all' }],
      [`/materials/${shown.material.id}/publication`, { unpublish: '1' }],
      [`/materials/${shown.material.id}/items/1`, item],
      [`/materials/${shown.material.id}/delete`, {}],
      [`/materials/${draft.material.id}/delete`, {}],
      [`/choices/${choice.id}/edit`, { title: 'x', description: '', banner: '' }],
      [`/choices/${choice.id}/delete`, {}],
      [`/choices/${choice.id}/remove`, { entry }],
      [`/choices/${choice.id}/move-first`, { entry }],
      ['/choices/add', { choice: String(choice.id), product }],
      ['/favorites', { add: hidden }],
      [`/applications/${application.id}`, { name: 'x', description: '', homePage: '', redirectUris: redirectUri }],
      [`/applications/${application.id}/secret`, {}],
      [`/applications/${application.id}/delete`, { confirmation: 'Posters' }],
      [`/account/webhooks/${endpoint}/delete`, {}],
    ];
    for (const [path, form] of forms) {
      const { status } = await person.send(path, { csrf, ...form });
      // Deleting a resource that the user may not see is like deleting it twice
      const expected = path.endsWith('/delete') ? [403, 303] : [403, 404];
      expect([path, expected.includes(status) || status]).toEqual([path, true]);
    }
    const list = await person.send('/choices/new', { csrf, title: 'x', description: '', banner: '', product: hidden });
    expect(list.status).toBe(404);
    expect(await state()).toEqual(before);
    expect((await api('GET', `/choices?userId=${other.id}`, { token: other.apiKey })).body.choices).toEqual([]);
  });
});
