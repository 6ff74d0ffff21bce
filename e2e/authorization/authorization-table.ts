import { type Operation, type OperationName, operations, type ProblemCode, problems } from '#contracts';
import { type RequestParts, table, type EndpointFixture } from '../endpoints/endpoint-table.js';

/**
 * Callers in the order of their requests. The owner is after all others: a success shows that the
 * rejected requests before changed nothing. An application of the owner gets a request of its own.
 */
export const identities = [
  ...(['no token', 'junk', 'revoked', 'expired', 'read-only', 'production', 'other user'] as const),
  ...(['owner', 'application'] as const),
] as const;
export type Identity = (typeof identities)[number];

/**
 * Test data with a token of each kind of caller. The owner is `me`. `production` is a token of the
 * other user with this scope only. The revoked, the expired, the
 * read-only token and that of the application are of the owner, too.
 */
export interface AuthorizationFixture extends EndpointFixture {
  readonly tokens: Readonly<Record<Exclude<Identity, 'no token'>, string>>;
  /** Resources that only the owner may see. */
  readonly hidden: { readonly material: number; readonly product: number; readonly choice: number };
  /** Product that the owner has favorited anonymously. */
  readonly favoriteProduct: number;
  readonly newPublishedMaterial: () => Promise<number>;
  /** Places a favorite of the owner again. Returns its product. */
  readonly placeFavorite: () => Promise<number>;
}

/** Expected response to another user who sends the same request with a valid token. */
type Others =
  /** Rejection: the resource is not theirs, or hidden from them. */
  | ProblemCode
  /** Same response as for the owner. */
  | 'the same'
  /** Their own resources, or the response without private data of the owner. */
  | 'their own';

interface AuthorizationRow {
  /** Request for a resource that is as private as the operation allows. */
  readonly request: (fixture: AuthorizationFixture) => RequestParts | Promise<RequestParts>;
  readonly others: Others;
  /**
   * Returns whether a response contains private data of the owner. It must for the owner, and must
   * not for another user.
   */
  readonly shows?: (body: any, fixture: AuthorizationFixture) => boolean;
}

const sameForAll: AuthorizationRow = { request: () => ({}), others: 'the same' };

/** Returns the row of a list with one entry that only the owner sees. */
const list = (
  name: string,
  hidden: (fixture: AuthorizationFixture) => number,
  query: (fixture: AuthorizationFixture) => RequestParts['query'],
): AuthorizationRow => ({
  request: (fixture) => ({ query: { limit: 50, ...query(fixture) } }),
  others: 'their own',
  shows: (body, fixture) => body[name].some(({ id }: { id: number }) => id === hidden(fixture)),
});

const hiddenChoice = ({ hidden }: AuthorizationFixture) => ({ params: { choiceId: hidden.choice } });
const hiddenProduct = ({ hidden }: AuthorizationFixture) => ({ params: { productId: hidden.product } });
const inMyChoice = ({ mine }: AuthorizationFixture) => ({
  params: { choiceId: mine.choice },
  body: { productId: mine.product },
});
const ofMyEndpoint = ({ endpoint }: AuthorizationFixture) => ({ params: { endpointId: endpoint } });
const isOwner = ({ user }: any, { me }: AuthorizationFixture): boolean => user.id === me.id;

/** Rows by operation. A new operation without a row fails the type check. */
export const authorization: { readonly [Name in OperationName]: AuthorizationRow } = {
  'activities.list': {
    request: () => ({}),
    others: 'their own',
    shows: ({ activities }, { me }) => activities.some((it: any) => it.receiver.id === me.id),
  },
  'activities.unreads': { request: () => ({}), others: 'their own' },
  'banners.list': sameForAll,
  'categories.list': sameForAll,
  'choices.list': list(
    'choices',
    ({ hidden }) => hidden.choice,
    ({ me }) => ({ userId: me.id }),
  ),
  'choices.get': { request: hiddenChoice, others: 'choice.not-found' },
  'choices.create': {
    request: ({ hidden }) => ({ body: { title: 'Mine', choiceProducts: [{ productId: hidden.product }] } }),
    others: 'product.not-found',
  },
  'choices.update': {
    request: ({ mine }) => ({ params: { choiceId: mine.choice }, body: { title: 'Still mine' } }),
    others: 'choice.not-owned',
  },
  'choices.delete': {
    request: async ({ newChoice }) => ({ params: { choiceId: await newChoice() } }),
    others: 'choice.not-owned',
  },
  'choices.add': { request: inMyChoice, others: 'choice.not-owned' },
  'choices.remove': { request: inMyChoice, others: 'choice.not-owned' },
  'choices.products': { request: hiddenChoice, others: 'choice.not-found' },
  'events.list': { request: () => ({}), others: 'their own' },
  'events.stream': { request: () => ({}), others: 'their own' },
  'favorites.of-product': { request: hiddenProduct, others: 'product.not-found' },
  'favorites.of-user': {
    request: ({ me }) => ({ params: { userId: me.id } }),
    others: 'their own',
    shows: ({ favorites }, { favoriteProduct }) => favorites.some((it: any) => it.product.id === favoriteProduct),
  },
  'favorites.create': {
    request: (fixture) => ({ ...hiddenProduct(fixture), body: {} }),
    others: 'product.not-found',
  },
  'favorites.delete': {
    request: async ({ placeFavorite }) => ({ params: { productId: await placeFavorite() } }),
    others: 'favorite.not-found',
  },
  'items.list': sameForAll,
  'materials.list': list(
    'materials',
    ({ hidden }) => hidden.material,
    ({ me }) => ({ userId: me.id }),
  ),
  'materials.get': {
    request: ({ hidden }) => ({ params: { materialId: hidden.material } }),
    others: 'material.not-found',
  },
  'materials.create': { request: table['materials.create'].succeeds, others: 'their own' },
  'materials.text': { request: table['materials.text'].succeeds, others: 'their own' },
  'materials.update': {
    request: ({ mine }) => ({ params: { materialId: mine.material }, body: { title: 'Still mine' } }),
    others: 'material.not-owned',
  },
  'materials.delete': {
    request: async ({ newPublishedMaterial }) => ({ params: { materialId: await newPublishedMaterial() } }),
    others: 'material.not-owned',
  },
  'preflight.get': {
    request: ({ mine }) => ({ params: { productId: mine.product } }),
    others: 'product.not-owned',
  },
  'print-files.create': {
    request: ({ mine }) => ({ params: { productId: mine.product }, body: {} }),
    others: 'product.not-owned',
  },
  'print-files.get': {
    request: async ({ mine, newPrintFiles }) => ({
      params: { productId: mine.product, printFilesId: await newPrintFiles() },
    }),
    others: 'product.not-owned',
  },
  'previews.create': {
    request: ({ mine }) => ({ body: { materialId: mine.material } }),
    others: 'material.not-owned',
  },
  'products.list': list(
    'products',
    ({ hidden }) => hidden.product,
    ({ hidden }) => ({ materialId: hidden.material }),
  ),
  'products.search': list(
    'products',
    ({ hidden }) => hidden.product,
    () => ({ q: 'Keepsake' }),
  ),
  'products.on-sale': list(
    'products',
    ({ hidden }) => hidden.product,
    () => ({}),
  ),
  'products.get': { request: hiddenProduct, others: 'product.not-found' },
  'promotions.list': sameForAll,
  'schema.hyper': sameForAll,
  'schema.openapi': sameForAll,
  'users.list': sameForAll,
  'users.get': { request: ({ me }) => ({ params: { userId: me.id } }), others: 'the same' },
  'users.self': { request: () => ({}), others: 'their own', shows: isOwner },
  'users.update': { request: () => ({ body: { profile: { body: 'Me.' } } }), others: 'their own', shows: isOwner },
  'webhook-deliveries.list': { request: ofMyEndpoint, others: 'webhook-endpoint.not-found' },
  'webhook-deliveries.replay': {
    request: async ({ newDelivery }) => ({ params: { ...(await newDelivery()) } }),
    others: 'webhook-endpoint.not-found',
  },
  'webhook-deliveries.replay-failed': {
    request: (fixture) => ({ ...ofMyEndpoint(fixture), body: { since: '2026-11-20T00:00:00Z' } }),
    others: 'webhook-endpoint.not-found',
  },
  'webhook-endpoints.list': {
    request: () => ({}),
    others: 'their own',
    shows: ({ webhookEndpoints }, { endpoint }) => webhookEndpoints.some(({ id }: any) => id === endpoint),
  },
  'webhook-endpoints.get': { request: ofMyEndpoint, others: 'webhook-endpoint.not-found' },
  'webhook-endpoints.create': { request: table['webhook-endpoints.create'].succeeds, others: 'their own' },
  'webhook-endpoints.update': {
    request: (fixture) => ({ ...ofMyEndpoint(fixture), body: { description: 'Still mine' } }),
    others: 'webhook-endpoint.not-found',
  },
  'webhook-endpoints.delete': {
    request: async ({ newEndpoint }) => ({ params: { endpointId: await newEndpoint() } }),
    others: 'webhook-endpoint.not-found',
  },
  'webhook-endpoints.rotate-secret': { request: ofMyEndpoint, others: 'webhook-endpoint.not-found' },
  'webhook-endpoints.test': { request: ofMyEndpoint, others: 'webhook-endpoint.not-found' },
};

interface Expected {
  readonly status: number;
  /** Problem code of the rejection. */
  readonly code?: ProblemCode;
}

const rejection = (code: ProblemCode): Expected => ({ status: problems[code].status, code });

/**
 * Returns the expected response for a caller, from scope and status of the contract and the row for
 * other users.
 */
export function expected(name: OperationName, identity: Identity): Expected {
  const { scope, alternativeScope, status, tokens }: Operation = operations[name];
  const { others } = authorization[name];
  const allowed = { status };
  if (scope === null) return allowed;
  switch (identity) {
    case 'no token':
      return rejection('token.missing');
    case 'junk':
    case 'revoked':
    case 'expired':
      return rejection('token.invalid');
    case 'read-only':
      return scope === 'read' ? allowed : rejection('token.insufficient-scope');
    case 'production':
      return alternativeScope ? allowed : rejection('token.insufficient-scope');
    case 'other user':
      return others === 'the same' || others === 'their own' ? allowed : rejection(others);
    case 'owner':
      return allowed;
    case 'application':
      return tokens === 'own' ? rejection('application.not-allowed') : allowed;
  }
}
