import type { z } from 'zod';
import type { LimitedOperationName, OperationName, operations, ProblemCode } from '#contracts';
import type { FailedDelivery } from '../support/failed-delivery.js';
import { closedUrl } from '../support/webhook-urls.js';
import { wrongJson, wrongText } from './wrong-values.js';

/** Users and resources of the tests. The caller is `me` unless stated otherwise. */
export interface EndpointFixture {
  readonly me: Person;
  readonly other: Person;
  /** User who exhausts rate limits, so that those of `me` are not affected. */
  readonly eager: Person;
  readonly readOnlyToken: string;
  readonly items: Readonly<Record<string, any>>;
  /** Small image as data URI. */
  readonly texture: string;
  readonly mine: { readonly material: number; readonly product: number; readonly choice: number };
  /**
   * Resources of `other`. The choice contains the products of all three materials, and `other` has
   * favorited them.
   */
  readonly theirs: {
    readonly material: number;
    readonly product: number;
    readonly choice: number;
    readonly secretChoice: number;
    readonly unpublished: { readonly material: number; readonly product: number };
    readonly violating: { readonly material: number; readonly product: number };
  };
  /** Creates a choice of `me` that a test may delete; `newMaterial` creates such a material. */
  readonly newChoice: () => Promise<number>;
  readonly newMaterial: () => Promise<number>;
  /** Creates a favorite of `me`. Returns the id of its product. */
  readonly newFavorite: () => Promise<number>;
  /** Requests the print files of the product of `me`. Returns their id. */
  readonly newPrintFiles: () => Promise<number>;
  /** Id of a webhook endpoint of `me`. `theirDelivery` is a failed delivery of `other`. */
  readonly endpoint: number;
  readonly theirDelivery: FailedDelivery;
  readonly newEndpoint: () => Promise<number>;
  /** Creates a failed delivery of the endpoint of `me`. */
  readonly newDelivery: () => Promise<FailedDelivery>;
}

interface Person {
  readonly id: number;
  readonly name: string;
  readonly apiKey: string;
}

/** Parameters and body of a request. */
export interface RequestParts {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}
export type RequestBuilder = (fixture: EndpointFixture) => RequestParts | Promise<RequestParts>;

/** A request that is rejected. */
export interface RejectedCase {
  readonly what: string;
  readonly request: RequestBuilder;
  readonly code: ProblemCode;
  readonly path?: string;
}

/** A list that omits a hidden resource. */
export interface OmittedCase {
  readonly what: string;
  readonly request: RequestBuilder;
  readonly ids: (body: any) => number[];
  readonly hidden: (fixture: EndpointFixture) => number;
}

/** Test cases, or the reason why there are none. */
export type Checks = readonly (RejectedCase | OmittedCase)[] | string;

type Operations = typeof operations;
type KeysOf<Name extends OperationName, Place extends string> =
  Operations[Name] extends Record<Place, infer Shape extends z.ZodType>
    ? `${Place}.${Extract<keyof NonNullable<z.input<Shape>>, string>}`
    : never;
type Field<Name extends OperationName> = KeysOf<Name, 'params'> | KeysOf<Name, 'query'> | KeysOf<Name, 'body'>;

/** Test cases of an operation. The type requires invalid values for each field of its contract. */
export interface Row<Name extends OperationName = OperationName> {
  readonly succeeds: RequestBuilder;
  readonly wrong: Readonly<Record<Field<Name>, readonly unknown[]>> &
    Readonly<Partial<Record<`body.${string}.${string}`, readonly unknown[]>>>;
  readonly notMine: Checks;
  readonly unknown: Checks;
  readonly unpublished: Checks;
  readonly secret: Checks;
  readonly violating: Checks;
  readonly impossible: Checks;
}

const rejected = (what: string, code: ProblemCode, request: RequestBuilder, path?: string): RejectedCase => ({
  what,
  code,
  request,
  ...(path !== undefined && { path }),
});
const omitted = (
  what: string,
  hidden: OmittedCase['hidden'],
  ids: OmittedCase['ids'],
  request: RequestBuilder,
): OmittedCase[] => [{ what, hidden, ids, request }];

const missingId = 999_999_999;
const page = { limit: 50, offset: 0 };
const wrongPage = { 'query.limit': wrongText.limit, 'query.offset': wrongText.offset };

const idsIn =
  (list: string) =>
  (body: any): number[] =>
    body[list].map(({ id }: { id: number }) => id);
const productsIn = idsIn('products');
const unpublishedProduct = ({ theirs }: EndpointFixture) => theirs.unpublished.product;
const violatingProduct = ({ theirs }: EndpointFixture) => theirs.violating.product;

/** Reasons why a cell has no test cases. */
const own = 'concerns only the caller';
const allUsers = 'readable by every user';
const reading = 'reading requires no ownership';
const creating = 'the caller owns what it creates';
const unnamed = 'no id in the address';
const filtered = 'an unknown id in a filter gives an empty list';
const noProducts = 'no products involved';
const noChoices = 'no choices involved';
const nothing = 'no condition beyond the shape';
const readsOnly = 'read-only';

/** Default cells: those of a read without ids, products and choices. */
const defaultCells = {
  wrong: {},
  notMine: allUsers,
  unknown: unnamed,
  unpublished: noProducts,
  secret: noChoices,
  violating: noProducts,
  impossible: readsOnly,
} as const;

const choice = {
  unknown: (body?: unknown) => [
    rejected('an unknown choice', 'choice.not-found', () => ({ params: { choiceId: missingId }, body })),
  ],
  secret: (body?: unknown) => [
    rejected('a secret choice', 'choice.not-found', ({ theirs }) => ({
      params: { choiceId: theirs.secretChoice },
      body,
    })),
  ],
  notMine: (body?: unknown) => [
    rejected("another user's choice", 'choice.not-owned', ({ theirs }) => ({
      params: { choiceId: theirs.choice },
      body,
    })),
  ],
};
const choiceOfMine = ({ mine }: EndpointFixture) => ({ choiceId: mine.choice });

/** Cases with an invalid product in the body of a choice. */
const invalidChoiceProducts = {
  unpublished: [
    rejected('an unpublished product', 'product.not-found', (fixture) => ({
      params: choiceOfMine(fixture),
      body: { title: 'x', choiceProducts: [{ productId: unpublishedProduct(fixture) }] },
    })),
  ],
  violating: [
    rejected('a violating product', 'product.not-found', (fixture) => ({
      params: choiceOfMine(fixture),
      body: { title: 'x', choiceProducts: [{ productId: violatingProduct(fixture) }] },
    })),
  ],
  unknown: [
    rejected('an unknown product', 'product.not-found', (fixture) => ({
      params: choiceOfMine(fixture),
      body: { title: 'x', choiceProducts: [{ productId: missingId }] },
    })),
  ],
  impossible: [
    rejected(
      'a variant of another item',
      'item-variant.not-of-item',
      (fixture) => ({
        params: choiceOfMine(fixture),
        body: { title: 'x', choiceProducts: [{ productId: fixture.mine.product, itemVariantId: mugVariant(fixture) }] },
      }),
      'body.choiceProducts.0.itemVariantId',
    ),
  ],
} as const;

const mugVariant = ({ items }: EndpointFixture): number => items['mug'].variants[0].id;

const addingToChoice = (productId: (fixture: EndpointFixture) => number, what: string): RejectedCase =>
  rejected(what, 'product.not-found', (fixture) => ({
    params: choiceOfMine(fixture),
    body: { productId: productId(fixture) },
  }));

const product = {
  notMine: (body?: unknown) => [
    rejected("another user's product", 'product.not-owned', ({ theirs }) => ({
      params: { productId: theirs.product },
      body,
    })),
  ],
  unknown: (body?: unknown) => [
    rejected('an unknown product', 'product.not-found', () => ({ params: { productId: missingId }, body })),
  ],
  unpublished: (body?: unknown) => [
    rejected('an unpublished product', 'product.not-found', (fixture) => ({
      params: { productId: unpublishedProduct(fixture) },
      body,
    })),
  ],
  violating: (body?: unknown) => [
    rejected('a violating product', 'product.not-found', (fixture) => ({
      params: { productId: violatingProduct(fixture) },
      body,
    })),
  ],
};

const printFilesOf = (productOf: (fixture: EndpointFixture) => number, what: string, code: ProblemCode) => [
  rejected(what, code, async (fixture) => ({
    params: { productId: productOf(fixture), printFilesId: await fixture.newPrintFiles() },
  })),
];

const material = {
  unknown: (body?: unknown) => [
    rejected('an unknown material', 'material.not-found', () => ({ params: { materialId: missingId }, body })),
  ],
  unpublished: (body?: unknown) => [
    rejected('an unpublished material', 'material.not-found', ({ theirs }) => ({
      params: { materialId: theirs.unpublished.material },
      body,
    })),
  ],
  violating: (body?: unknown) => [
    rejected('a violating material', 'material.not-found', ({ theirs }) => ({
      params: { materialId: theirs.violating.material },
      body,
    })),
  ],
  notMine: (body?: unknown) => [
    rejected("another user's material", 'material.not-owned', ({ theirs }) => ({
      params: { materialId: theirs.material },
      body,
    })),
  ],
};

/** Returns cases with an invalid product in the body of a material. */
const invalidProducts = (around: (fixture: EndpointFixture) => RequestParts): RejectedCase[] => {
  const requestWith =
    (products: (fixture: EndpointFixture) => object[]): RequestBuilder =>
    (fixture) => {
      const { params, body } = around(fixture);
      return { ...(params && { params }), body: { ...(body as object), products: products(fixture) } };
    };
  return [
    rejected(
      'an unknown item',
      'item.not-found',
      requestWith(() => [{ itemId: missingId }]),
      'body.products.0.itemId',
    ),
    rejected(
      'an embroidery item',
      'item.embroidery',
      requestWith(({ items }) => [{ itemId: items['embroidery-t-shirt'].id }]),
      'body.products.0.itemId',
    ),
    rejected(
      'a variant of another item',
      'item-variant.not-of-item',
      requestWith((fixture) => [{ itemId: fixture.items['t-shirt'].id, exemplaryItemVariantId: mugVariant(fixture) }]),
      'body.products.0.exemplaryItemVariantId',
    ),
    rejected(
      'cover on a mug',
      'resize-mode.not-allowed',
      requestWith(({ items }) => [{ itemId: items['mug'].id, resizeMode: 'cover' }]),
      'body.products.0.resizeMode',
    ),
    rejected(
      'an item twice',
      'product.duplicate-item',
      requestWith(({ items }) => [{ itemId: items['mug'].id }, { itemId: items['mug'].id }]),
      'body.products.1.itemId',
    ),
  ];
};

const newMaterialBody = ({ items, texture }: EndpointFixture) => ({
  texture,
  title: 'Made',
  price: 100,
  description: 'by a test',
  products: [
    {
      itemId: items['t-shirt'].id,
      exemplaryItemVariantId: items['t-shirt'].variants[5].id,
      published: false,
      resizeMode: 'contain',
      sub_materials: [{ texture, printSide: 'back', enabled: true }],
    },
  ],
});

const wrongProduct = {
  'body.products.0': wrongJson.entry,
  'body.products.0.itemId': wrongJson.id,
  'body.products.0.exemplaryItemVariantId': wrongJson.id,
  'body.products.0.published': wrongJson.flag,
  'body.products.0.resizeMode': wrongJson.resizeMode,
} as const;

const ofEndpoint = ({ endpoint }: EndpointFixture) => ({ params: { endpointId: endpoint } });

/** Returns the common cells of operations on a webhook endpoint. */
const onEndpoint = (body?: unknown) => ({
  ...defaultCells,
  wrong: { 'params.endpointId': wrongText.id },
  notMine: [
    rejected("another user's endpoint", 'webhook-endpoint.not-found', ({ theirDelivery: { endpointId } }) => ({
      params: { endpointId },
      body,
    })),
  ],
  unknown: [
    rejected('an unknown endpoint', 'webhook-endpoint.not-found', () => ({ params: { endpointId: missingId }, body })),
  ],
  impossible: nothing,
});

const internalUrl = (around: Partial<RequestParts> | ((fixture: EndpointFixture) => RequestParts)) =>
  rejected(
    'an internal address',
    'webhook-endpoint.url-not-allowed',
    (fixture) => ({ ...(typeof around === 'function' ? around(fixture) : around), body: { url: 'https://[::1]/' } }),
    'body.url',
  );

export const table: { readonly [Name in OperationName]: Row<Name> } = {
  'activities.list': {
    ...defaultCells,
    succeeds: () => ({ query: { limit: 30 } }),
    wrong: { 'query.limit': wrongText.activityLimit },
    notMine: own,
  },
  'activities.unreads': { ...defaultCells, succeeds: () => ({}), notMine: own },
  'banners.list': { ...defaultCells, succeeds: () => ({}) },
  'categories.list': { ...defaultCells, succeeds: () => ({}) },

  'choices.list': {
    ...defaultCells,
    succeeds: ({ other }) => ({ query: { ...page, userId: other.id, userName: other.name } }),
    wrong: { ...wrongPage, 'query.userId': wrongText.id, 'query.userName': wrongText.name },
    unknown: filtered,
    unpublished: 'shows no products',
    secret: omitted(
      'a secret choice',
      ({ theirs }) => theirs.secretChoice,
      idsIn('choices'),
      ({ other }) => ({ query: { ...page, userId: other.id } }),
    ),
    violating: 'shows no products',
  },
  'choices.get': {
    ...defaultCells,
    succeeds: ({ theirs }) => ({ params: { choiceId: theirs.choice } }),
    wrong: { 'params.choiceId': wrongText.id },
    notMine: reading,
    unknown: choice.unknown(),
    unpublished: 'shows no products',
    secret: choice.secret(),
    violating: 'shows no products',
  },
  'choices.create': {
    succeeds: ({ theirs }) => ({
      body: {
        title: 'For the summer',
        description: 'Light things.',
        bannerUrl: 'https://example.com/a.png',
        secret: false,
        choiceProducts: [{ productId: theirs.product }],
      },
    }),
    wrong: {
      'body.title': wrongJson.requiredTitle,
      'body.description': wrongJson.description,
      'body.bannerUrl': wrongJson.url,
      'body.secret': wrongJson.flag,
      'body.choiceProducts': wrongJson.choiceProducts,
      'body.choiceProducts.0': wrongJson.entry,
      'body.choiceProducts.0.productId': wrongJson.requiredId,
      'body.choiceProducts.0.itemVariantId': wrongJson.id,
    },
    notMine: creating,
    secret: creating,
    ...invalidChoiceProducts,
  },
  'choices.update': {
    succeeds: (fixture) => ({
      params: choiceOfMine(fixture),
      body: {
        title: 'For the winter',
        description: null,
        bannerUrl: null,
        secret: false,
        choiceProducts: [{ productId: fixture.mine.product }],
      },
    }),
    wrong: {
      'params.choiceId': wrongText.id,
      'body.title': wrongJson.title,
      'body.description': wrongJson.nullableDescription,
      'body.bannerUrl': wrongJson.nullableUrl,
      'body.secret': wrongJson.flag,
      'body.choiceProducts': wrongJson.choiceProducts,
      'body.choiceProducts.0': wrongJson.entry,
      'body.choiceProducts.0.productId': wrongJson.requiredId,
      'body.choiceProducts.0.itemVariantId': wrongJson.id,
    },
    notMine: choice.notMine({ title: 'x' }),
    secret: choice.secret({ title: 'x' }),
    ...invalidChoiceProducts,
    unknown: [...choice.unknown({ title: 'x' }), ...invalidChoiceProducts.unknown],
  },
  'choices.delete': {
    ...defaultCells,
    succeeds: async ({ newChoice }) => ({ params: { choiceId: await newChoice() } }),
    wrong: { 'params.choiceId': wrongText.id },
    notMine: choice.notMine(),
    unknown: choice.unknown(),
    secret: choice.secret(),
    impossible: nothing,
  },
  'choices.add': {
    succeeds: (fixture) => ({ params: choiceOfMine(fixture), body: { productId: fixture.theirs.product } }),
    wrong: {
      'params.choiceId': wrongText.id,
      'body.productId': wrongJson.id,
      'body.itemVariantId': wrongJson.id,
    },
    notMine: choice.notMine({}),
    unknown: [...choice.unknown({}), addingToChoice(() => missingId, 'an unknown product')],
    unpublished: [addingToChoice(unpublishedProduct, 'an unpublished product')],
    secret: choice.secret({}),
    violating: [addingToChoice(violatingProduct, 'a violating product')],
    impossible: [
      rejected(
        'a variant of another item',
        'item-variant.not-of-item',
        (fixture) => ({
          params: choiceOfMine(fixture),
          body: { productId: fixture.mine.product, itemVariantId: mugVariant(fixture) },
        }),
        'body.itemVariantId',
      ),
    ],
  },
  'choices.remove': {
    succeeds: (fixture) => ({ params: choiceOfMine(fixture), body: { productId: fixture.theirs.product } }),
    wrong: {
      'params.choiceId': wrongText.id,
      'body.productId': wrongJson.id,
      'body.itemVariantId': wrongJson.id,
    },
    notMine: choice.notMine({}),
    unknown: choice.unknown({}),
    unpublished: 'a hidden product can be removed',
    secret: choice.secret({}),
    violating: 'a hidden product can be removed',
    impossible: 'removing a missing product has no effect',
  },
  'choices.products': {
    ...defaultCells,
    succeeds: ({ theirs }) => ({ params: { choiceId: theirs.choice }, query: page }),
    wrong: { 'params.choiceId': wrongText.id, ...wrongPage },
    notMine: reading,
    unknown: choice.unknown(),
    unpublished: omitted('an unpublished product', unpublishedProduct, productsIn, ({ theirs }) => ({
      params: { choiceId: theirs.choice },
    })),
    secret: choice.secret(),
    violating: omitted('a violating product', violatingProduct, productsIn, ({ theirs }) => ({
      params: { choiceId: theirs.choice },
    })),
  },

  'events.list': {
    ...defaultCells,
    succeeds: () => ({ query: { after: 'latest', types: 'material.created,material.updated', limit: 200 } }),
    wrong: {
      'query.after': ['abc', '-1', '1.5', '01', ''],
      'query.types': ['material', 'material.created,', ''],
      'query.limit': ['0', '201', '-1', 'abc', ''],
    },
    notMine: own,
  },
  'events.stream': {
    ...defaultCells,
    succeeds: () => ({ query: { after: 'latest', types: 'material.created,material.updated' } }),
    wrong: {
      'query.after': ['abc', '-1', '1.5', '01', ''],
      'query.types': ['material', 'material.created,', ''],
    },
    notMine: own,
  },
  'favorites.of-product': {
    ...defaultCells,
    succeeds: ({ theirs, items }) => ({
      params: { productId: theirs.product },
      query: { ...page, itemId: items['t-shirt'].id },
    }),
    wrong: { 'params.productId': wrongText.id, ...wrongPage, 'query.itemId': wrongText.id },
    notMine: reading,
    unknown: product.unknown(),
    unpublished: product.unpublished(),
    violating: product.violating(),
  },
  'favorites.of-user': {
    ...defaultCells,
    succeeds: ({ other }) => ({ params: { userId: other.id }, query: page }),
    wrong: { 'params.userId': wrongText.id, ...wrongPage },
    notMine: reading,
    unknown: [rejected('an unknown user', 'user.not-found', () => ({ params: { userId: missingId } }))],
    unpublished: omitted(
      'an unpublished product',
      unpublishedProduct,
      ({ favorites }) => favorites.map((it: any) => it.product.id),
      ({ other }) => ({ params: { userId: other.id } }),
    ),
    violating: omitted(
      'a violating product',
      violatingProduct,
      ({ favorites }) => favorites.map((it: any) => it.product.id),
      ({ other }) => ({ params: { userId: other.id } }),
    ),
  },
  'favorites.create': {
    succeeds: ({ theirs }) => ({
      params: { productId: theirs.product },
      body: { anonymouse: false, anonymous: false, count: 2 },
    }),
    wrong: {
      'params.productId': wrongText.id,
      'body.anonymouse': wrongJson.flag,
      'body.anonymous': wrongJson.flag,
      'body.count': wrongJson.count,
    },
    notMine: 'favorites of every product can be added, also of own ones',
    unknown: product.unknown({}),
    unpublished: product.unpublished({}),
    secret: noChoices,
    violating: product.violating({}),
    impossible: nothing,
  },
  'favorites.delete': {
    succeeds: async ({ newFavorite }) => ({ params: { productId: await newFavorite() } }),
    wrong: { 'params.productId': wrongText.id },
    notMine: own,
    unknown: [
      rejected('an unknown product', 'favorite.not-found', () => ({ params: { productId: missingId } })),
      rejected('a missing favorite', 'favorite.not-found', ({ mine }) => ({
        params: { productId: mine.product },
      })),
    ],
    unpublished: 'a favorite of a hidden product can be deleted',
    secret: noChoices,
    violating: 'a favorite of a hidden product can be deleted',
    impossible: nothing,
  },

  'items.list': { ...defaultCells, succeeds: () => ({}) },

  'materials.list': {
    ...defaultCells,
    succeeds: ({ other }) => ({ query: { ...page, userId: other.id } }),
    wrong: { ...wrongPage, 'query.userId': wrongText.id },
    unknown: filtered,
    unpublished: omitted(
      'an unpublished material',
      ({ theirs }) => theirs.unpublished.material,
      idsIn('materials'),
      ({ other }) => ({ query: { ...page, userId: other.id } }),
    ),
    violating: omitted(
      'a violating material',
      ({ theirs }) => theirs.violating.material,
      idsIn('materials'),
      ({ other }) => ({ query: { ...page, userId: other.id } }),
    ),
  },
  'materials.get': {
    ...defaultCells,
    succeeds: ({ theirs }) => ({ params: { materialId: theirs.material } }),
    wrong: { 'params.materialId': wrongText.id },
    notMine: reading,
    unknown: material.unknown(),
    unpublished: material.unpublished(),
    violating: material.violating(),
  },
  'materials.create': {
    succeeds: (fixture) => ({ body: newMaterialBody(fixture) }),
    wrong: {
      'body.texture': wrongJson.texture,
      'body.title': wrongJson.requiredTitle,
      'body.price': wrongJson.price,
      'body.description': wrongJson.nullableDescription,
      'body.products': wrongJson.products,
      ...wrongProduct,
      'body.products.0.sub_materials': wrongJson.sides,
      'body.products.0.sub_materials.0': wrongJson.entry,
      'body.products.0.sub_materials.0.texture': wrongJson.texture,
      'body.products.0.sub_materials.0.printSide': wrongJson.side,
      'body.products.0.sub_materials.0.enabled': wrongJson.flag,
    },
    notMine: creating,
    unknown: 'no id in the address; an unknown item is 422',
    unpublished: creating,
    secret: noChoices,
    violating: creating,
    impossible: [
      rejected(
        'an empty texture',
        'texture.empty',
        () => ({ body: { texture: 'data:,', title: 'x' } }),
        'body.texture',
      ),
      rejected(
        'a texture that is not an image',
        'texture.unsupported-format',
        () => ({ body: { texture: 'data:,hello', title: 'x' } }),
        'body.texture',
      ),
      rejected(
        'an unprintable side',
        'print-place.not-of-item',
        ({ items, texture }) => ({
          body: {
            texture,
            title: 'x',
            products: [{ itemId: items['mug'].id, sub_materials: [{ texture, printSide: 'sole' }] }],
          },
        }),
        'body.products.0.sub_materials.0.printSide',
      ),
      ...invalidProducts(({ texture }) => ({ body: { texture, title: 'x' } })),
    ],
  },
  'materials.text': {
    succeeds: ({ items }) => ({
      body: {
        text: 'Hello\nfixture',
        itemVariantId: items['t-shirt'].variants[0].id,
        title: 'Greeting',
        price: 100,
        description: null,
      },
    }),
    wrong: {
      'body.text': wrongJson.text,
      'body.itemVariantId': wrongJson.id,
      'body.title': wrongJson.title,
      'body.price': wrongJson.price,
      'body.description': wrongJson.nullableDescription,
    },
    notMine: creating,
    unknown: 'no id in the address; an unknown variant is 422',
    unpublished: creating,
    secret: noChoices,
    violating: creating,
    impossible: [
      rejected(
        'a variant of another item',
        'item-variant.not-standard-t-shirt',
        (fixture) => ({ body: { text: 'x', itemVariantId: mugVariant(fixture) } }),
        'body.itemVariantId',
      ),
      rejected(
        'an unknown variant',
        'item-variant.not-standard-t-shirt',
        () => ({ body: { text: 'x', itemVariantId: missingId } }),
        'body.itemVariantId',
      ),
      rejected('nothing to print', 'text.blank', () => ({ body: { text: ' \n　' } }), 'body.text'),
    ],
  },
  'preflight.get': {
    ...defaultCells,
    succeeds: ({ mine }) => ({ params: { productId: mine.product } }),
    wrong: { 'params.productId': wrongText.id },
    notMine: product.notMine(),
    unknown: product.unknown(),
    unpublished: product.unpublished(),
    violating: product.violating(),
  },
  'print-files.create': {
    succeeds: ({ mine, items }) => ({
      params: { productId: mine.product },
      body: { format: 'pdf', variantId: items['t-shirt'].variants[5].id, places: ['front'] },
    }),
    wrong: {
      'params.productId': wrongText.id,
      'body.format': ['jpeg', 'PDF', '', 5, true, null, [], {}],
      'body.variantId': wrongJson.id,
      'body.places': ['front', 5, true, null, {}, [], Array.from({ length: 12 }, () => 'front')],
    },
    notMine: product.notMine({}),
    unknown: product.unknown({}),
    unpublished: product.unpublished({}),
    secret: noChoices,
    violating: product.violating({}),
    impossible: [
      rejected(
        'a variant of another item',
        'item-variant.not-of-item',
        (fixture) => ({ params: { productId: fixture.mine.product }, body: { variantId: mugVariant(fixture) } }),
        'body.variantId',
      ),
      rejected(
        'a place without a print',
        'print-place.not-of-item',
        ({ mine }) => ({ params: { productId: mine.product }, body: { places: ['front', 'back'] } }),
        'body.places.1',
      ),
    ],
  },
  'print-files.get': {
    ...defaultCells,
    succeeds: async ({ mine, newPrintFiles }) => ({
      params: { productId: mine.product, printFilesId: await newPrintFiles() },
    }),
    wrong: { 'params.productId': wrongText.id, 'params.printFilesId': wrongText.id },
    notMine: printFilesOf(({ theirs }) => theirs.product, "another user's product", 'product.not-owned'),
    unknown: [
      ...printFilesOf(() => missingId, 'an unknown product', 'product.not-found'),
      rejected('unknown print files', 'print-files.not-found', ({ mine }) => ({
        params: { productId: mine.product, printFilesId: missingId },
      })),
    ],
    unpublished: printFilesOf(unpublishedProduct, 'an unpublished product', 'product.not-found'),
    violating: printFilesOf(violatingProduct, 'a violating product', 'product.not-found'),
  },
  'previews.create': {
    ...defaultCells,
    succeeds: ({ items, texture }) => ({
      body: {
        texture,
        placement: { scale: 0.5, x: 0.1, y: -0.1, rotation: 15, repeat: 'half-drop', spacing: 20 },
        resizeMode: 'contain',
        items: [items['t-shirt'].id],
        colors: ['white'],
        angles: ['front'],
        size: 323,
      },
    }),
    wrong: {
      'body.texture': wrongJson.texture,
      'body.materialId': [...wrongJson.nullableId, 1],
      'body.placement': ['x', 5, true, null, []],
      'body.placement.repeat': ['tile', '', 5, true, null],
      'body.resizeMode': wrongJson.resizeMode,
      'body.items': ['x', 5, true, null, {}, [], Array.from({ length: 101 }, () => 1)],
      'body.colors': wrongJson.names,
      'body.angles': wrongJson.names,
      'body.size': ['500', 0, -1, 1.5, true, null, [], {}],
    },
    notMine: [
      rejected("another user's material", 'material.not-owned', ({ theirs }) => ({
        body: { materialId: theirs.material },
      })),
    ],
    unknown: [
      rejected('an unknown material', 'material.not-found', () => ({ body: { materialId: missingId } })),
      rejected(
        'an unknown item',
        'item.not-found',
        ({ texture }) => ({ body: { texture, items: [missingId] } }),
        'body.items.0',
      ),
    ],
    unpublished: [
      rejected('an unpublished material', 'material.not-found', ({ theirs }) => ({
        body: { materialId: theirs.unpublished.material },
      })),
    ],
    violating: [
      rejected('a violating material', 'material.not-found', ({ theirs }) => ({
        body: { materialId: theirs.violating.material },
      })),
    ],
    impossible: [
      rejected('an empty texture', 'texture.empty', () => ({ body: { texture: 'data:,' } }), 'body.texture'),
      rejected(
        'a texture that is not an image',
        'texture.unsupported-format',
        () => ({ body: { texture: 'data:,hello' } }),
        'body.texture',
      ),
      rejected(
        'an embroidery item',
        'item.embroidery',
        ({ items, texture }) => ({ body: { texture, items: [items['embroidery-t-shirt'].id] } }),
        'body.items.0',
      ),
      rejected(
        'an item twice',
        'product.duplicate-item',
        ({ items, texture }) => ({ body: { texture, items: [items['mug'].id, items['mug'].id] } }),
        'body.items.1',
      ),
      rejected(
        'cover on a mug',
        'resize-mode.not-allowed',
        ({ items, texture }) => ({ body: { texture, items: [items['mug'].id], resizeMode: 'cover' } }),
        'body.resizeMode',
      ),
      rejected(
        'a color that no item has',
        'preview.color-not-available',
        ({ texture }) => ({ body: { texture, colors: ['white', 'plaid'] } }),
        'body.colors.1',
      ),
      rejected(
        'an angle that no item has',
        'preview.angle-not-available',
        ({ texture }) => ({ body: { texture, angles: ['inside'] } }),
        'body.angles.0',
      ),
      rejected(
        'an unavailable size',
        'preview.size-not-available',
        ({ texture }) => ({ body: { texture, size: 501 } }),
        'body.size',
      ),
      rejected(
        'a shift out of the print area',
        'placement.invalid',
        ({ texture }) => ({ body: { texture, placement: { x: 3 } } }),
        'body.placement.x',
      ),
      rejected(
        'a rotation that is text',
        'placement.invalid',
        ({ texture }) => ({ body: { texture, placement: { rotation: '90' } } }),
        'body.placement.rotation',
      ),
      rejected(
        'a scale below the limit',
        'placement.invalid',
        ({ texture }) => ({ body: { texture, placement: { scale: 1e-9, repeat: 'grid' } } }),
        'body.placement.scale',
      ),
      rejected(
        'too many previews',
        'preview.too-many',
        ({ items, texture }) => {
          const variants = Object.values(items).flatMap(({ variants: all }) => all);
          const colors = [...new Set<string>(variants.map(({ color }: any) => color.name))];
          const angles = [...new Set<string>(Object.values(items).flatMap((item) => item.angles))];
          return { body: { texture, colors, angles } };
        },
        'body.items',
      ),
    ],
  },
  'materials.update': {
    succeeds: ({ mine, items }) => ({
      params: { materialId: mine.material },
      body: {
        title: 'Changed',
        price: 200,
        description: null,
        products: [
          {
            itemId: items['t-shirt'].id,
            exemplaryItemVariantId: items['t-shirt'].variants[5].id,
            published: true,
            resizeMode: 'contain',
          },
        ],
      },
    }),
    wrong: {
      'params.materialId': wrongText.id,
      'body.title': wrongJson.title,
      'body.price': wrongJson.price,
      'body.description': wrongJson.nullableDescription,
      'body.products': wrongJson.products,
      ...wrongProduct,
    },
    notMine: material.notMine({ title: 'x' }),
    unknown: material.unknown({ title: 'x' }),
    unpublished: material.unpublished({ title: 'x' }),
    secret: noChoices,
    violating: material.violating({ title: 'x' }),
    impossible: invalidProducts(({ mine }) => ({ params: { materialId: mine.material }, body: {} })),
  },
  'materials.delete': {
    succeeds: async ({ newMaterial }) => ({ params: { materialId: await newMaterial() } }),
    wrong: { 'params.materialId': wrongText.id },
    notMine: material.notMine(),
    unknown: material.unknown(),
    unpublished: material.unpublished(),
    secret: noChoices,
    violating: material.violating(),
    impossible: nothing,
  },

  'products.list': {
    ...defaultCells,
    succeeds: ({ other, theirs, items }) => ({
      query: {
        ...page,
        itemId: items['t-shirt'].id,
        userId: other.id,
        userName: other.name,
        materialId: theirs.material,
      },
    }),
    wrong: {
      ...wrongPage,
      'query.itemId': wrongText.id,
      'query.userId': wrongText.id,
      'query.userName': wrongText.name,
      'query.materialId': wrongText.id,
    },
    unknown: filtered,
    unpublished: omitted('an unpublished product', unpublishedProduct, productsIn, ({ other }) => ({
      query: { ...page, userId: other.id },
    })),
    violating: omitted('a violating product', violatingProduct, productsIn, ({ other }) => ({
      query: { ...page, userId: other.id },
    })),
  },
  'products.search': {
    ...defaultCells,
    succeeds: ({ items }) => ({ query: { ...page, q: 'Seen', itemId: items['t-shirt'].id } }),
    wrong: { ...wrongPage, 'query.itemId': wrongText.id, 'query.q': wrongText.search },
    unknown: filtered,
    unpublished: omitted('an unpublished product', unpublishedProduct, productsIn, () => ({
      query: { ...page, q: 'Unseen' },
    })),
    violating: omitted('a violating product', violatingProduct, productsIn, () => ({
      query: { ...page, q: 'Wrong' },
    })),
  },
  'products.on-sale': {
    ...defaultCells,
    succeeds: () => ({ query: page }),
    wrong: wrongPage,
    unpublished: omitted('an unpublished product', unpublishedProduct, productsIn, () => ({ query: page })),
    violating: omitted('a violating product', violatingProduct, productsIn, () => ({ query: page })),
  },
  'products.get': {
    ...defaultCells,
    succeeds: ({ theirs }) => ({ params: { productId: theirs.product } }),
    wrong: { 'params.productId': wrongText.id },
    notMine: reading,
    unknown: product.unknown(),
    unpublished: product.unpublished(),
    violating: product.violating(),
  },
  'promotions.list': { ...defaultCells, succeeds: () => ({}) },
  'schema.hyper': { ...defaultCells, succeeds: () => ({}) },
  'schema.openapi': { ...defaultCells, succeeds: () => ({}) },

  'users.list': {
    ...defaultCells,
    succeeds: ({ other }) => ({ query: { ...page, name: other.name } }),
    wrong: { ...wrongPage, 'query.name': wrongText.name },
  },
  'users.get': {
    ...defaultCells,
    succeeds: ({ other }) => ({ params: { userId: other.id } }),
    wrong: { 'params.userId': wrongText.id },
    unknown: [rejected('an unknown user', 'user.not-found', () => ({ params: { userId: missingId } }))],
  },
  'users.self': { ...defaultCells, succeeds: () => ({}), notMine: own },
  'users.update': {
    ...defaultCells,
    succeeds: () => ({
      body: { displayName: 'Me', avatarUrl: null, profile: { url: null, body: 'I test.', headerUrl: null } },
    }),
    wrong: {
      'body.displayName': wrongJson.displayName,
      'body.avatarUrl': wrongJson.nullableUrl,
      'body.profile': wrongJson.object,
      'body.profile.url': wrongJson.nullableUrl,
      'body.profile.body': wrongJson.nullableDescription,
      'body.profile.headerUrl': wrongJson.nullableUrl,
    },
    notMine: own,
    impossible: nothing,
  },

  'webhook-deliveries.list': {
    ...onEndpoint(),
    succeeds: (fixture) => ({ ...ofEndpoint(fixture), query: { ...page, status: 'failed' } }),
    wrong: { 'params.endpointId': wrongText.id, ...wrongPage, 'query.status': ['late', 'FAILED', ''] },
    impossible: readsOnly,
  },
  'webhook-deliveries.replay': {
    ...onEndpoint(),
    succeeds: async ({ newDelivery }) => ({ params: { ...(await newDelivery()) } }),
    wrong: { 'params.endpointId': wrongText.id, 'params.deliveryId': wrongText.id },
    notMine: [
      rejected("another user's endpoint", 'webhook-endpoint.not-found', ({ theirDelivery }) => ({
        params: { ...theirDelivery },
      })),
      rejected(
        "a delivery of another user's endpoint",
        'webhook-delivery.not-found',
        ({ endpoint, theirDelivery }) => ({
          params: { ...theirDelivery, endpointId: endpoint },
        }),
      ),
    ],
    unknown: [
      rejected('an unknown endpoint', 'webhook-endpoint.not-found', ({ theirDelivery }) => ({
        params: { ...theirDelivery, endpointId: missingId },
      })),
      rejected('an unknown delivery', 'webhook-delivery.not-found', (fixture) => ({
        params: { ...ofEndpoint(fixture).params, deliveryId: missingId },
      })),
    ],
    impossible: nothing,
  },
  'webhook-deliveries.replay-failed': {
    ...onEndpoint({ since: '2026-11-20T00:00:00Z' }),
    succeeds: (fixture) => ({ ...ofEndpoint(fixture), body: { since: '2026-11-20T00:00:00+09:00' } }),
    wrong: {
      'params.endpointId': wrongText.id,
      'body.since': ['yesterday', '2026-11-20', '2026-11-20T00:00:00', 5, null, [], undefined],
    },
  },
  'webhook-endpoints.list': { ...defaultCells, succeeds: () => ({}), notMine: own },
  'webhook-endpoints.get': { ...onEndpoint(), succeeds: ofEndpoint, impossible: readsOnly },
  'webhook-endpoints.create': {
    ...defaultCells,
    succeeds: () => ({
      body: { url: closedUrl, description: 'Orders', types: ['sale.recorded'], applicationId: null, signature: 'v1a' },
    }),
    wrong: {
      'body.url': [...wrongJson.url, undefined],
      'body.description': wrongJson.webhookDescription,
      'body.types': wrongJson.eventTypes,
      'body.types.0': ['material', '', 5, null],
      'body.applicationId': wrongJson.nullableId,
      'body.signature': ['v2', '', 5, null],
    },
    notMine: 'another application than of the caller is unknown',
    unknown: [
      rejected(
        'an unknown application',
        'application.not-found',
        () => ({ body: { url: closedUrl, applicationId: missingId } }),
        'body.applicationId',
      ),
    ],
    impossible: [internalUrl({})],
  },
  'webhook-endpoints.update': {
    ...onEndpoint({ description: 'x' }),
    succeeds: (fixture) => ({
      ...ofEndpoint(fixture),
      body: { url: closedUrl, description: 'Orders', types: [], status: 'enabled' },
    }),
    wrong: {
      'params.endpointId': wrongText.id,
      'body.url': wrongJson.url,
      'body.description': wrongJson.webhookDescription,
      'body.types': wrongJson.eventTypes,
      'body.types.0': ['material', '', 5, null],
      'body.status': ['disabled', '', true, null],
    },
    impossible: [internalUrl(ofEndpoint)],
  },
  'webhook-endpoints.delete': {
    ...onEndpoint(),
    succeeds: async ({ newEndpoint }) => ({ params: { endpointId: await newEndpoint() } }),
  },
  'webhook-endpoints.rotate-secret': { ...onEndpoint(), succeeds: ofEndpoint },
  'webhook-endpoints.test': { ...onEndpoint(), succeeds: ofEndpoint },
};

/** Requests that count towards rate limits: valid, cheap and without effect. */
export const countedRequests: { readonly [Name in LimitedOperationName]: RequestParts } = {
  'choices.add': { params: { choiceId: missingId }, body: {} },
  'choices.create': { body: { title: 'x', choiceProducts: [{ productId: missingId }] } },
  'choices.delete': { params: { choiceId: missingId } },
  'choices.remove': { params: { choiceId: missingId }, body: {} },
  'choices.update': { params: { choiceId: missingId }, body: {} },
  'favorites.create': { params: { productId: missingId }, body: {} },
  'favorites.delete': { params: { productId: missingId } },
  'materials.create': { body: { texture: 'data:,', title: 'x' } },
  'materials.delete': { params: { materialId: missingId } },
  'materials.text': { body: { text: ' ' } },
  'materials.update': { params: { materialId: missingId }, body: {} },
  'previews.create': { body: { materialId: missingId } },
  'print-files.create': { params: { productId: missingId }, body: {} },
  'users.update': { body: {} },
  'webhook-deliveries.replay': { params: { endpointId: missingId, deliveryId: missingId } },
  'webhook-deliveries.replay-failed': { params: { endpointId: missingId }, body: { since: '2026-11-20T00:00:00Z' } },
  'webhook-endpoints.create': { body: { url: 'https://127.0.0.2/' } },
  'webhook-endpoints.delete': { params: { endpointId: missingId } },
  'webhook-endpoints.rotate-secret': { params: { endpointId: missingId } },
  'webhook-endpoints.test': { params: { endpointId: missingId } },
  'webhook-endpoints.update': { params: { endpointId: missingId }, body: {} },
};
