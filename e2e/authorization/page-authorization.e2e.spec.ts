import { type Browser, browse } from '../../apps/gateway/src/testing/browse.js';
import { authorizePath, register, signedIn } from '../oauth/oauth-clients.js';
import { pages, type PageFixture, type Visitor, visitors } from './page-table.js';
import { api, baseUrl, itemsByName, newMaterial, newUsers, type User } from '../support/shop.js';
import { newEndpoint, newFailedDelivery } from '../support/webhooks.js';

let fixture: PageFixture;
let people: Readonly<Record<Visitor, Browser>>;

const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

async function createPageFixture(): Promise<void> {
  const [owner, another] = (await newUsers(2)) as [User, User];
  const { 'can-badge': badge } = await itemsByName(owner.apiKey);
  const [{ material, products }, own, other, { body }] = await Promise.all([
    newMaterial(owner, { products: [{ itemId: badge.id }] }),
    signedIn(owner),
    signedIn(another),
    api('POST', '/choices', { token: owner.apiKey, body: { title: 'Summer', secret: true } }),
  ]);
  const redirectUri = 'https://posters.example.com/callback';
  const application = await register(own, { name: 'Posters', redirectUris: redirectUri });
  people = { 'no session': browse(baseUrl), 'another session': other, 'own session': own };
  const { html } = await people['no session'].open('/');
  fixture = {
    userName: owner.name,
    application,
    assetPath: /"(\/assets\/[^"]+)"/.exec(html)![1]!,
    authorizePath: authorizePath({
      response_type: 'code',
      client_id: application.clientId,
      redirect_uri: redirectUri,
      scope: 'read',
    }),
    materialId: material.id,
    itemId: badge.id,
    productPath: pathOf(products[0].sampleUrl),
    choiceId: body.choice.id,
    webhook: await newFailedDelivery(await newEndpoint(owner), owner),
    imagePath: pathOf(products[0].sampleImageUrl),
  };
}
beforeAll(createPageFixture);

/** Requests a route as a visitor: opens a page, or submits a form with the CSRF token. */
async function send(route: string, visitor: Visitor, hasCsrfToken = true) {
  const { at, form = {}, who } = pages[route]!;
  const person = people[visitor];
  if (route.startsWith('GET ')) return person.open(at(fixture));
  // Without a session the CSRF token comes from the sign-in form
  const { csrf } =
    hasCsrfToken && who !== 'public' ? await person.open(visitor === 'no session' ? '/sign-in' : '/account') : {};
  return person.send(at(fixture), { ...form, csrf });
}

const cells = Object.entries(pages).flatMap(([route, { who, statuses }]) =>
  visitors.map((visitor, index) => ({ route, who, visitor, status: statuses[index]! })),
);

describe('a form without CSRF token', () => {
  const forms = cells.filter(({ route, who }) => route.startsWith('POST ') && who !== 'public');

  it.each(forms)('$route, $visitor: 403', async ({ route, visitor }) => {
    expect((await send(route, visitor, false)).status).toBe(403);
  });
});

it.each(cells)('$route, $visitor: $status', async ({ route, who, visitor, status }) => {
  const { status: received, headers } = await send(route, visitor);
  expect(received).toBe(status);
  if (who === 'members' && visitor === 'no session') expect(headers.get('location')).toMatch(/\/sign-in\?to=/);
});
