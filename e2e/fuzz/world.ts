import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { type Browser, browse } from '../../apps/gateway/src/testing/browse.js';

/** What requests are about: people, things of theirs, and what lets them in. */
export interface World {
  /** Where the gateway is reached. */
  readonly origin: string;
  /** What it says of itself. */
  readonly baseUrl: string;
  readonly userName: string;
  /** Personal keys. */
  readonly tokens: readonly string[];
  /** By the names of parameters. */
  readonly ids: Readonly<Record<string, readonly number[]>>;
  /** Images that are cheap to read, or none at all. */
  readonly textures: readonly string[];
  /** Paths with their signature. */
  readonly images: readonly string[];
  /** Of a browser that has signed in, and what its forms must send. */
  readonly cookie: string;
  readonly csrf: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Others work on the stack: their things are left alone, and no passwords are tried, which are counted by address. */
  readonly isShared: boolean;
}

export const redirectUri = 'http://127.0.0.1/callback';

/** One blue pixel, and the same as something else. */
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const textures = [
  ...[pixel, pixel.replace('png', 'jpeg'), pixel.slice(0, 70), 'data:,', 'data:;base64,', 'data:image/svg+xml,<svg/>'],
  ...[
    'http://127.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[::1]:1/',
    'https://localhost:1/x.png',
    'file:///x',
  ],
  ...['http://0x7f.1/', 'http://①②⑦.1/', 'http://user:pass@127.0.0.1/', `data:image/png;base64,${'A'.repeat(60_000)}`],
];

/** What is looked at of answers. */
interface Made {
  readonly id: number;
  readonly name: string;
  readonly sampleImageUrl: string;
}
interface ApiAnswer {
  readonly user: Made;
  readonly choice: Made;
  readonly material: Made;
  readonly products: readonly Made[];
  readonly items: readonly (Made & { readonly variants: readonly Made[] })[];
}

type Api = (method: string, path: string, body?: object) => Promise<ApiAnswer>;

const apiOf =
  (origin: string, token: string): Api =>
  async (method, path, body) => {
    const answer = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as ApiAnswer;
  };

const idsOf = (made: readonly Made[]): number[] => made.map(({ id }) => id);
const found = (pattern: RegExp, text: string): string => {
  const value = pattern.exec(text)?.[1];
  if (value === undefined) throw new Error(`a page does not have ${pattern.source}: ${text.slice(0, 500)}`);
  return value;
};

const nobody = 999_999_998;

/** Ids of what the world has not made: of others, where there are none to disturb. */
export const otherIds = ({ isShared }: World): fc.Arbitrary<number> =>
  isShared ? fc.constantFrom(-1, 0, nobody) : fc.integer({ min: -1, max: 400 });

/** A stack to attack. */
export interface Target {
  readonly origin: string;
  readonly baseUrl: string;
  /** Of a user who is there. */
  readonly apiKey: string;
  readonly isShared?: boolean;
}

/** Makes what requests are about, as people do: signs up, uploads, makes choices, registers an application. */
export async function makeWorld({ origin, baseUrl, apiKey, isShared = false }: Target): Promise<World> {
  const userName = `fuzz-${randomBytes(6).toString('hex')}`;
  const password = randomBytes(16).toString('hex');
  const person = await signedUp(origin, userName, password);
  const { csrf } = await person.open('/applications/key');
  const ownKey = found(
    /id="apiKey" value="([\w-]+)"/,
    (await person.send('/applications/key', { csrf, password })).html,
  );
  const [mine, others] = [apiOf(origin, ownKey), apiOf(origin, apiKey)];
  const { items } = await mine('GET', '/items');
  const of = (name: string) => items.find((it) => it.name === name)!;
  const [badge, shirt] = [of('can-badge'), of('t-shirt')];
  const made = await Promise.all(
    [mine, mine, others].map((api, n) =>
      api('POST', '/materials', {
        texture: pixel,
        title: `Fuzz ${n}`,
        products: [badge, shirt].map(({ id }) => ({ itemId: id, published: n > 0 })),
      }),
    ),
  );
  const products = made.flatMap((it) => it.products);
  const choices = await Promise.all([mine, mine, others].map((api) => api('POST', '/choices', { title: 'Fuzz' })));
  const users = await Promise.all([mine('GET', '/user'), others('GET', '/user')]);
  const application = await registered(person, csrf);
  return {
    origin,
    baseUrl,
    userName,
    isShared,
    textures,
    csrf,
    ...application,
    tokens: [ownKey, ownKey, apiKey],
    ids: {
      userId: idsOf(users.map(({ user }) => user)),
      materialId: idsOf(made.map(({ material }) => material)),
      productId: idsOf(products),
      choiceId: idsOf(choices.map(({ choice }) => choice)),
      itemId: idsOf(items),
      itemVariantId: idsOf([...badge.variants, ...shirt.variants]).slice(0, 12),
    },
    images: products.map(({ sampleImageUrl }) => sampleImageUrl.slice(baseUrl.length)),
    cookie: `session=${person.cookie()}`,
  };
}

async function signedUp(origin: string, name: string, password: string): Promise<Browser> {
  const person = browse(origin);
  const { csrf } = await person.open('/sign-up');
  const form = { csrf, name, email: `${name}@example.com`, newPassword: password };
  const { status, html } = await person.send('/sign-up', form);
  if (status !== 303) throw new Error(`${name} could not sign up: ${status} ${html.slice(0, 500)}`);
  return person;
}

async function registered(developer: Browser, csrf: string): Promise<{ clientId: string; clientSecret: string }> {
  const form = { csrf, name: 'Fuzz', description: '', homePage: '', redirectUris: redirectUri, kind: 'confidential' };
  const { html } = await developer.send('/applications/new', { ...form, write: 'yes' });
  const clientSecret = found(/id="clientSecret" value="([^"]+)"/, html);
  const page = await developer.open(`/applications/${found(/\/applications\/(\d+)["/]/, html)}`);
  return { clientSecret, clientId: found(/<code[^>]*>([\w-]+)<\/code>/, page.html) };
}
