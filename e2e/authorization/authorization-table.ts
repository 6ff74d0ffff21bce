import { type Operation, type OperationName, operations, type ProblemCode, problems } from '#contracts';
import { type Asked, table, type World } from '../endpoints/endpoint-table.js';

/** In this order: whoever is refused has changed nothing when the owner asks. */
export const identities = ['no token', 'junk', 'revoked', 'expired', 'read-only', 'other user', 'owner'] as const;
export type Identity = (typeof identities)[number];

/** The owner is `me` of the world; the tokens that are of no use would be the owner's. */
export interface OwnedWorld extends World {
  readonly tokens: Readonly<Record<Exclude<Identity, 'no token'>, string>>;
  /** What nobody but the owner may see. */
  readonly hidden: { readonly material: number; readonly product: number; readonly choice: number };
  /** A product that the owner favors without being named. */
  readonly favored: number;
  readonly newPublishedMaterial: () => Promise<number>;
}

/** What another user is told who asks the very same with a good token. */
type Others =
  /** A refusal: the thing is not theirs, or is nothing they may know of. */
  | ProblemCode
  /** The same as the owner: there is nothing to keep from anybody. */
  | 'the same'
  /** The same question about their own things, or without what the owner alone may see. */
  | 'their own';

interface AuthorizationRow {
  /** A request about what is as private as the operation knows. */
  readonly ask: (world: OwnedWorld) => Asked | Promise<Asked>;
  readonly others: Others;
  /** Whether an answer shows what is the owner's alone: of the owner's answer it is true, of another's it is not. */
  readonly shows?: (body: any, world: OwnedWorld) => boolean;
}

const everybody: AuthorizationRow = { ask: () => ({}), others: 'the same' };

/** A list that shows the owner one thing more. */
const list = (
  name: string,
  hidden: (world: OwnedWorld) => number,
  query: (world: OwnedWorld) => Asked['query'],
): AuthorizationRow => ({
  ask: (world) => ({ query: { limit: 50, ...query(world) } }),
  others: 'their own',
  shows: (body, world) => body[name].some(({ id }: { id: number }) => id === hidden(world)),
});

const hiddenChoice = ({ hidden }: OwnedWorld) => ({ params: { choiceId: hidden.choice } });
const hiddenProduct = ({ hidden }: OwnedWorld) => ({ params: { productId: hidden.product } });
const inMyChoice = ({ mine }: OwnedWorld) => ({
  params: { choiceId: mine.choice },
  body: { productId: mine.product },
});
const isOwner = ({ user }: any, { me }: OwnedWorld): boolean => user.id === me.id;

/** A new operation does not compile without a row. */
export const authorization: { readonly [Name in OperationName]: AuthorizationRow } = {
  'activities.list': {
    ask: () => ({}),
    others: 'their own',
    shows: ({ activities }, { me }) => activities.some((it: any) => it.receiver.id === me.id),
  },
  'activities.unreads': { ask: () => ({}), others: 'their own' },
  'banners.list': everybody,
  'categories.list': everybody,
  'choices.list': list(
    'choices',
    ({ hidden }) => hidden.choice,
    ({ me }) => ({ userId: me.id }),
  ),
  'choices.get': { ask: hiddenChoice, others: 'choice.not-found' },
  'choices.create': {
    ask: ({ hidden }) => ({ body: { title: 'Mine', choiceProducts: [{ productId: hidden.product }] } }),
    others: 'product.not-found',
  },
  'choices.update': {
    ask: ({ mine }) => ({ params: { choiceId: mine.choice }, body: { title: 'Still mine' } }),
    others: 'choice.not-owned',
  },
  'choices.delete': {
    ask: async ({ newChoice }) => ({ params: { choiceId: await newChoice() } }),
    others: 'choice.not-owned',
  },
  'choices.add': { ask: inMyChoice, others: 'choice.not-owned' },
  'choices.remove': { ask: inMyChoice, others: 'choice.not-owned' },
  'choices.products': { ask: hiddenChoice, others: 'choice.not-found' },
  'favorites.of-product': { ask: hiddenProduct, others: 'product.not-found' },
  'favorites.of-user': {
    ask: ({ me }) => ({ params: { userId: me.id } }),
    others: 'their own',
    shows: ({ favorites }, { favored }) => favorites.some((it: any) => it.product.id === favored),
  },
  'favorites.create': {
    ask: (world) => ({ ...hiddenProduct(world), body: {} }),
    others: 'product.not-found',
  },
  'favorites.delete': {
    ask: ({ favored }) => ({ params: { productId: favored } }),
    others: 'favorite.not-found',
  },
  'items.list': everybody,
  'materials.list': list(
    'materials',
    ({ hidden }) => hidden.material,
    ({ me }) => ({ userId: me.id }),
  ),
  'materials.get': {
    ask: ({ hidden }) => ({ params: { materialId: hidden.material } }),
    others: 'material.not-found',
  },
  'materials.create': { ask: table['materials.create'].succeeds, others: 'their own' },
  'materials.text': { ask: table['materials.text'].succeeds, others: 'their own' },
  'materials.update': {
    ask: ({ mine }) => ({ params: { materialId: mine.material }, body: { title: 'Still mine' } }),
    others: 'material.not-owned',
  },
  'materials.delete': {
    ask: async ({ newPublishedMaterial }) => ({ params: { materialId: await newPublishedMaterial() } }),
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
  'products.get': { ask: hiddenProduct, others: 'product.not-found' },
  'promotions.list': everybody,
  'schema.hyper': everybody,
  'schema.openapi': everybody,
  'users.list': everybody,
  'users.get': { ask: ({ me }) => ({ params: { userId: me.id } }), others: 'the same' },
  'users.self': { ask: () => ({}), others: 'their own', shows: isOwner },
  'users.update': { ask: () => ({ body: { profile: { body: 'Me.' } } }), others: 'their own', shows: isOwner },
};

interface Expected {
  readonly status: number;
  /** Of the refusal. */
  readonly code?: ProblemCode;
}

const refusal = (code: ProblemCode): Expected => ({ status: problems[code].status, code });

/** What an identity must be answered: from the scope and the status in the contract, and from the row for another user. */
export function expected(name: OperationName, identity: Identity): Expected {
  const { scope, status }: Operation = operations[name];
  const { others } = authorization[name];
  const allowed = { status };
  if (scope === null) return allowed;
  switch (identity) {
    case 'no token':
      return refusal('token.missing');
    case 'junk':
    case 'revoked':
    case 'expired':
      return refusal('token.invalid');
    case 'read-only':
      return scope === 'read' ? allowed : refusal('token.insufficient-scope');
    case 'other user':
      return others === 'the same' || others === 'their own' ? allowed : refusal(others);
    case 'owner':
      return allowed;
  }
}
