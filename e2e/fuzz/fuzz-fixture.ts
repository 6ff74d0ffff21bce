import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { type Browser, browse } from '../../apps/gateway/src/testing/browse.js';

/** Users, resources and credentials of generated requests. */
export interface FuzzFixture {
  /** Origin of the gateway. */
  readonly origin: string;
  /** Public base URL. */
  readonly baseUrl: string;
  readonly userName: string;
  /** Personal API keys. */
  readonly tokens: readonly string[];
  /** Ids by parameter name. */
  readonly ids: Readonly<Record<string, readonly number[]>>;
  /** Textures: a small image, invalid data URIs, and URLs of internal addresses. */
  readonly textures: readonly string[];
  /** Paths of images with their signatures. */
  readonly images: readonly string[];
  /** Session cookie of a signed-in browser. */
  readonly cookie: string;
  /** CSRF token of the session. */
  readonly csrf: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * True if other tests use the stack at the same time. Then generated requests name no resources
   * but those of the fixture, and no forms with passwords are sent.
   */
  readonly isShared: boolean;
}

export const redirectUri = 'http://127.0.0.1/callback';

/** A blue pixel as PNG. */
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

/** Fields of resources that are used here. */
interface Resource {
  readonly id: number;
  readonly name: string;
  readonly sampleImageUrl: string;
}
interface ResponseBody {
  readonly user: Resource;
  readonly choice: Resource;
  readonly material: Resource;
  readonly products: readonly Resource[];
  readonly items: readonly (Resource & { readonly variants: readonly Resource[] })[];
}

type Api = (method: string, path: string, body?: object) => Promise<ResponseBody>;

const apiOf =
  (origin: string, token: string): Api =>
  async (method, path, body) => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as ResponseBody;
  };

const idsOf = (made: readonly Resource[]): number[] => made.map(({ id }) => id);
const extract = (pattern: RegExp, text: string): string => {
  const value = pattern.exec(text)?.[1];
  if (value === undefined) throw new Error(`a page does not have ${pattern.source}: ${text.slice(0, 500)}`);
  return value;
};

const missingId = 999_999_998;

/** Ids of missing resources and, unless the stack is shared, of any resource with a small id. */
export const otherIds = ({ isShared }: FuzzFixture): fc.Arbitrary<number> =>
  isShared ? fc.constantFrom(-1, 0, missingId) : fc.integer({ min: -1, max: 400 });

/** Stack under test. */
export interface Target {
  readonly origin: string;
  readonly baseUrl: string;
  /** API key of an existing user. */
  readonly apiKey: string;
  readonly isShared?: boolean;
}

/** Creates the fixture with pages and the API: sign-up, uploads, choices, an application. */
export async function createFuzzFixture({ origin, baseUrl, apiKey, isShared = false }: Target): Promise<FuzzFixture> {
  const userName = `fuzz-${randomBytes(6).toString('hex')}`;
  const password = randomBytes(16).toString('hex');
  const person = await signUp(origin, userName, password);
  const { csrf } = await person.open('/applications/key');
  const ownKey = extract(
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
  const application = await registerApplication(person, csrf);
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
      // Missing ones only, because the shop would send events to an existing endpoint
      endpointId: [missingId],
      printFilesId: [missingId],
      deliveryId: [missingId],
      itemId: idsOf(items),
      itemVariantId: idsOf([...badge.variants, ...shirt.variants]).slice(0, 12),
    },
    images: products.map(({ sampleImageUrl }) => sampleImageUrl.slice(baseUrl.length)),
    cookie: `session=${person.cookie()}`,
  };
}

async function signUp(origin: string, name: string, password: string): Promise<Browser> {
  const person = browse(origin);
  const { csrf } = await person.open('/sign-up');
  const form = { csrf, name, email: `${name}@example.com`, newPassword: password };
  const { status, html } = await person.send('/sign-up', form);
  if (status !== 303) throw new Error(`${name} could not sign up: ${status} ${html.slice(0, 500)}`);
  return person;
}

async function registerApplication(
  developer: Browser,
  csrf: string,
): Promise<{ clientId: string; clientSecret: string }> {
  const form = { csrf, name: 'Fuzz', description: '', homePage: '', redirectUris: redirectUri, kind: 'confidential' };
  const { html } = await developer.send('/applications/new', { ...form, write: 'yes' });
  const clientSecret = extract(/id="clientSecret" value="([^"]+)"/, html);
  const page = await developer.open(`/applications/${extract(/\/applications\/(\d+)["/]/, html)}`);
  return { clientSecret, clientId: extract(/<code[^>]*>([\w-]+)<\/code>/, page.html) };
}
