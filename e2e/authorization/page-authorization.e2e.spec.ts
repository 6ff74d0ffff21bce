import { type Browser, browse } from '../../apps/gateway/src/testing/browse.js';
import { authorizePath, register, signedIn } from '../oauth/oauth-clients.js';
import { pages, type PageWorld, type Visitor, visitors } from './page-table.js';
import { baseUrl, itemsByName, newMaterial, newUsers, type User } from '../support/shop.js';

let world: PageWorld;
let people: Readonly<Record<Visitor, Browser>>;

const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

async function makeWorld(): Promise<void> {
  const [owner, another] = (await newUsers(2)) as [User, User];
  const { 'can-badge': badge } = await itemsByName(owner.apiKey);
  const [{ products }, own, other] = await Promise.all([
    newMaterial(owner, { products: [{ itemId: badge.id }] }),
    signedIn(owner),
    signedIn(another),
  ]);
  const redirectUri = 'https://posters.example.com/callback';
  const application = await register(own, { name: 'Posters', redirectUris: redirectUri });
  people = { 'no session': browse(baseUrl), 'another session': other, 'own session': own };
  const { html } = await people['no session'].open('/');
  world = {
    userName: owner.name,
    application,
    assetPath: /"(\/assets\/[^"]+)"/.exec(html)![1]!,
    authorizePath: authorizePath({
      response_type: 'code',
      client_id: application.clientId,
      redirect_uri: redirectUri,
      scope: 'read',
    }),
    productPath: pathOf(products[0].sampleUrl),
    imagePath: pathOf(products[0].sampleImageUrl),
  };
}
beforeAll(makeWorld);

/** Asks as a visitor: opens a page, or sends its form with what ties it to the visit. */
async function ask(route: string, visitor: Visitor, isOurs = true) {
  const { at, form = {}, who } = pages[route]!;
  const person = people[visitor];
  if (route.startsWith('GET ')) return person.open(at(world));
  // Where there is no session the form of the sign-in is the visit's first
  const { csrf } =
    isOurs && who !== 'public' ? await person.open(visitor === 'no session' ? '/sign-in' : '/account') : {};
  return person.send(at(world), { ...form, csrf });
}

const places = Object.entries(pages).flatMap(([route, { who, answers }]) =>
  visitors.map((visitor, index) => ({ route, who, visitor, status: answers[index]! })),
);

describe('a form without the token of its visit', () => {
  const forms = places.filter(({ route, who }) => route.startsWith('POST ') && who !== 'public');

  it.each(forms)('$route, $visitor: 403', async ({ route, visitor }) => {
    expect((await ask(route, visitor, false)).status).toBe(403);
  });
});

it.each(places)('$route, $visitor: $status', async ({ route, who, visitor, status }) => {
  const { status: answered, headers } = await ask(route, visitor);
  expect(answered).toBe(status);
  if (who === 'members' && visitor === 'no session') expect(headers.get('location')).toMatch(/\/sign-in\?to=/);
});
