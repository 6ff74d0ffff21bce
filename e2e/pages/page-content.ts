import { decide, type Application, authorizePath, register, serve, signedIn } from '../oauth/oauth-clients.js';
import { artwork } from '../support/artwork.js';
import {
  createBanner,
  createPromotion,
  createSale,
  deleteBanner,
  deletePromotion,
  endSale,
  violate,
} from '../support/back-office.js';
import { api, baseUrl, itemsByName, newMaterial, newUsers, type User } from '../support/shop.js';
import { newEndpoint, newFailedDelivery } from '../support/webhooks.js';

/** Content of the pages: a user with resources of each kind, and with long unbreakable names. */
export interface PageContent {
  /** Name of a user with avatar and header. */
  readonly userName: string;
  /** Name of a user without products. */
  readonly fanName: string;
  /** Page of a product on sale. */
  readonly productPath: string;
  readonly materialPath: string;
  readonly draftsPath: string;
  /** Material without products. */
  readonly emptyPath: string;
  readonly violationPath: string;
  readonly violatingProductPath: string;
  /** List with two variants of a product. */
  readonly listPath: string;
  readonly secretListPath: string;
  /** Webhook endpoint with a failed delivery. */
  readonly webhookPath: string;
  readonly application: Application;
  readonly allowed: Application;
  /** Session cookie of the user. */
  readonly cookies: string;
  /** Deletes the banner, the promotion and the sale, because all users see them. */
  readonly remove: () => Promise<unknown>;
}

export const longWord = 'Lighthouse'.repeat(6);
const redirectUri = 'https://posters.example.com/callback';
const pathOf = (url: string): string => new URL(url, baseUrl).pathname;

export const consentPath = ({ clientId }: Application, scope: string): string =>
  authorizePath({ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope });

/** Sets profile, avatar and header of a user, and requests both images, which the shop copies. */
async function decorate({ apiKey: token, name }: User): Promise<void> {
  const image = Buffer.from((await artwork(1_200, 400)).split(',')[1]!, 'base64');
  const site = await serve((_, response) => void response.setHeader('content-type', 'image/png').end(image));
  const [avatarUrl, headerUrl] = ['avatar', 'header'].map((kind) => `${site.origin}/${kind}.png`);
  const profile = { body: `${longWord}\n灯台を描いています。`, url: 'https://example.com', headerUrl };
  await api('PUT', '/user', { token, body: { displayName: longWord, avatarUrl, profile } });
  const html = await (await fetch(`${baseUrl}/${name}`)).text();
  const paths = html.match(/\/images\/v1\/external\/[^"]+/g) ?? [];
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${baseUrl}${path}`)).status));
  if (statuses.join() !== '200,200') throw new Error(`images of the profile: ${statuses.join()}`);
  await site.close();
}

async function registerApplications(user: User) {
  const person = await signedIn(user);
  const fields = {
    description: `${longWord} 印刷します。`,
    homePage: 'https://example.com/',
    redirectUris: redirectUri,
  };
  const application = await register(person, { name: longWord, ...fields });
  const allowed = await register(person, { name: 'ポスター屋 Poster shop', ...fields });
  await decide(person, consentPath(allowed, 'read'));
  return { application, allowed, cookies: `session=${person.cookie()}` };
}

/** Creates a banner, a promotion and a sale. Returns a function that deletes them. */
async function promote(product: { readonly id: number; readonly sampleImageUrl: string }) {
  const banner = await createBanner('large', product.sampleImageUrl, {
    altText: longWord,
    linkUrl: `${baseUrl}/search?q=${longWord}`,
  });
  const promotion = await createPromotion(longWord, 'event', `${baseUrl}/search?q=${longWord}`);
  const sale = await createSale({ product: product.id, percent: 20 });
  return () => Promise.all([deleteBanner(banner.id), deletePromotion(promotion.id), endSale(sale.id)]);
}

export async function makePageContent(): Promise<PageContent> {
  const [user, fan] = (await newUsers(2)) as [User, User];
  const { 't-shirt': shirt, mug } = await itemsByName(user.apiKey);
  await decorate(user);
  const material = (title: string, published?: boolean) =>
    newMaterial(user, {
      title,
      products: published === undefined ? [] : [shirt, mug].map(({ id }) => ({ itemId: id, published })),
    });
  const shown = await newMaterial(user, {
    texture: await artwork(),
    title: `灯台 <b>&amp;</b> ${longWord}`,
    description: `灯台を描きました。\n${longWord}`,
    products: [shirt, mug].map(({ id }) => ({ itemId: id, published: true })),
  });
  const [drafts, empty, violation] = await Promise.all([
    material('Drafts', false),
    material('Empty'),
    material('Violation', true),
  ]);
  await violate(violation.material.id);
  const [product] = shown.products;
  for (const { apiKey: token } of [user, fan])
    await api('POST', `/products/${product.id}/favorites`, { token, body: { count: 3 } });
  const { id: otherVariant } = shirt.variants.find(({ id }: { id: number }) => id !== product.sampleItemVariant.id);
  const { body: list } = await api('POST', '/choices', {
    token: user.apiKey,
    body: {
      title: longWord,
      description: `灯台\n${longWord}`,
      choiceProducts: [{ productId: product.id }, { productId: product.id, itemVariantId: otherVariant }],
    },
  });
  const { body: secretList } = await api('POST', '/choices', {
    token: user.apiKey,
    body: { title: longWord, secret: true, choiceProducts: [{ productId: product.id }] },
  });
  const webhook = await newFailedDelivery(await newEndpoint(user), user);
  const remove = await promote(product);
  const at = ({ material: { id } }: { material: { id: number } }): string => `/materials/${id}`;
  return {
    userName: user.name,
    fanName: fan.name,
    productPath: pathOf(product.sampleUrl),
    materialPath: at(shown),
    draftsPath: at(drafts),
    emptyPath: at(empty),
    violationPath: at(violation),
    violatingProductPath: pathOf(violation.products[0].sampleUrl),
    listPath: `/choices/${list.choice.id}`,
    secretListPath: `/choices/${secretList.choice.id}`,
    webhookPath: `/account/webhooks/${webhook.endpointId}`,
    ...(await registerApplications(user)),
    remove,
  };
}
