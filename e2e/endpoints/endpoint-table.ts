import type { z } from 'zod';
import type { LimitedOperationName, OperationName, operations, ProblemCode } from '#contracts';
import { wrongJson, wrongText } from './wrong-values.js';

/** Who asks, and whom the things of the requests belong to. `me` asks unless a test says otherwise. */
export interface World {
  readonly me: Person;
  readonly other: Person;
  /** Asks until the limits are reached. */
  readonly eager: Person;
  readonly readOnlyToken: string;
  readonly items: Readonly<Record<string, any>>;
  /** A small image. */
  readonly texture: string;
  readonly mine: { readonly material: number; readonly product: number; readonly choice: number };
  /** All of `other`. The choice holds the products of all three materials, and `other` favors them. */
  readonly theirs: {
    readonly material: number;
    readonly product: number;
    readonly choice: number;
    readonly secretChoice: number;
    readonly unpublished: { readonly material: number; readonly product: number };
    readonly violating: { readonly material: number; readonly product: number };
  };
  /** Make something of `me` that a test may destroy. */
  readonly newChoice: () => Promise<number>;
  readonly newMaterial: () => Promise<number>;
  /** @returns the product that `me` favors now */
  readonly newFavorite: () => Promise<number>;
}

interface Person {
  readonly id: number;
  readonly name: string;
  readonly apiKey: string;
}

/** What a request has beside the address of its operation. */
export interface Asked {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}
export type Ask = (world: World) => Asked | Promise<Asked>;

/** A request that is refused. */
export interface Refused {
  readonly what: string;
  readonly ask: Ask;
  readonly code: ProblemCode;
  readonly path?: string;
}

/** A list that goes without something: neither refused nor told. */
export interface LeftOut {
  readonly what: string;
  readonly ask: Ask;
  readonly ids: (body: any) => number[];
  readonly hidden: (world: World) => number;
}

/** What is tested, or why there is nothing to test. */
export type Checks = readonly (Refused | LeftOut)[] | string;

type Operations = typeof operations;
type KeysOf<Name extends OperationName, Place extends string> =
  Operations[Name] extends Record<Place, infer Shape extends z.ZodType>
    ? `${Place}.${Extract<keyof NonNullable<z.input<Shape>>, string>}`
    : never;
type Field<Name extends OperationName> = KeysOf<Name, 'params'> | KeysOf<Name, 'query'> | KeysOf<Name, 'body'>;

/** One operation. Every field of its contract has values that it must refuse: the compiler asks for them. */
export interface Row<Name extends OperationName = OperationName> {
  readonly succeeds: Ask;
  readonly wrong: Readonly<Record<Field<Name>, readonly unknown[]>> &
    Readonly<Partial<Record<`body.${string}.${string}`, readonly unknown[]>>>;
  readonly notMine: Checks;
  readonly unknown: Checks;
  readonly unpublished: Checks;
  readonly secret: Checks;
  readonly violating: Checks;
  readonly impossible: Checks;
}

const refused = (what: string, code: ProblemCode, ask: Ask, path?: string): Refused => ({
  what,
  code,
  ask,
  ...(path !== undefined && { path }),
});
const leftOut = (what: string, hidden: LeftOut['hidden'], ids: LeftOut['ids'], ask: Ask): LeftOut[] => [
  { what, hidden, ids, ask },
];

const nobody = 999_999_999;
const page = { limit: 50, offset: 0 };
const wrongPage = { 'query.limit': wrongText.limit, 'query.offset': wrongText.offset };

const idsIn =
  (list: string) =>
  (body: any): number[] =>
    body[list].map(({ id }: { id: number }) => id);
const productsIn = idsIn('products');
const unpublishedProduct = ({ theirs }: World) => theirs.unpublished.product;
const violatingProduct = ({ theirs }: World) => theirs.violating.product;

/** Why a cell is empty. */
const own = 'concerns only the caller';
const everybody = 'readable by every user';
const reading = 'reading requires no ownership';
const creating = 'the caller owns what it creates';
const unnamed = 'no id in the address';
const filtered = 'an unknown id in a filter gives an empty list';
const noProducts = 'no products involved';
const noChoices = 'no choices involved';
const nothing = 'no condition beyond the shape';
const readsOnly = 'read-only';

/** Of an operation that has nothing to do with anybody's products and choices. */
const plain = {
  wrong: {},
  notMine: everybody,
  unknown: unnamed,
  unpublished: noProducts,
  secret: noChoices,
  violating: noProducts,
  impossible: readsOnly,
} as const;

const choice = {
  unknown: (body?: unknown) => [
    refused('an unknown choice', 'choice.not-found', () => ({ params: { choiceId: nobody }, body })),
  ],
  secret: (body?: unknown) => [
    refused('a secret choice', 'choice.not-found', ({ theirs }) => ({
      params: { choiceId: theirs.secretChoice },
      body,
    })),
  ],
  notMine: (body?: unknown) => [
    refused("somebody else's choice", 'choice.not-owned', ({ theirs }) => ({
      params: { choiceId: theirs.choice },
      body,
    })),
  ],
};
const choiceOfMine = ({ mine }: World) => ({ choiceId: mine.choice });

/** A body of a choice with one product that may not be there. */
const choosing = {
  unpublished: [
    refused('an unpublished product', 'product.not-found', (world) => ({
      params: choiceOfMine(world),
      body: { title: 'x', choiceProducts: [{ productId: unpublishedProduct(world) }] },
    })),
  ],
  violating: [
    refused('a violating product', 'product.not-found', (world) => ({
      params: choiceOfMine(world),
      body: { title: 'x', choiceProducts: [{ productId: violatingProduct(world) }] },
    })),
  ],
  unknown: [
    refused('an unknown product', 'product.not-found', (world) => ({
      params: choiceOfMine(world),
      body: { title: 'x', choiceProducts: [{ productId: nobody }] },
    })),
  ],
  impossible: [
    refused(
      'a variant of another item',
      'item-variant.not-of-item',
      (world) => ({
        params: choiceOfMine(world),
        body: { title: 'x', choiceProducts: [{ productId: world.mine.product, itemVariantId: mugVariant(world) }] },
      }),
      'body.choiceProducts.0.itemVariantId',
    ),
  ],
} as const;

const mugVariant = ({ items }: World): number => items['mug'].variants[0].id;

const addingToChoice = (productId: (world: World) => number, what: string): Refused =>
  refused(what, 'product.not-found', (world) => ({
    params: choiceOfMine(world),
    body: { productId: productId(world) },
  }));

const product = {
  unknown: (body?: unknown) => [
    refused('an unknown product', 'product.not-found', () => ({ params: { productId: nobody }, body })),
  ],
  unpublished: (body?: unknown) => [
    refused('an unpublished product', 'product.not-found', (world) => ({
      params: { productId: unpublishedProduct(world) },
      body,
    })),
  ],
  violating: (body?: unknown) => [
    refused('a violating product', 'product.not-found', (world) => ({
      params: { productId: violatingProduct(world) },
      body,
    })),
  ],
};

const material = {
  unknown: (body?: unknown) => [
    refused('an unknown material', 'material.not-found', () => ({ params: { materialId: nobody }, body })),
  ],
  unpublished: (body?: unknown) => [
    refused('an unpublished material', 'material.not-found', ({ theirs }) => ({
      params: { materialId: theirs.unpublished.material },
      body,
    })),
  ],
  violating: (body?: unknown) => [
    refused('a violating material', 'material.not-found', ({ theirs }) => ({
      params: { materialId: theirs.violating.material },
      body,
    })),
  ],
  notMine: (body?: unknown) => [
    refused("somebody else's material", 'material.not-owned', ({ theirs }) => ({
      params: { materialId: theirs.material },
      body,
    })),
  ],
};

/** A product that cannot be made, as it stands in the body of a material. */
const impossibleProducts = (around: (world: World) => Asked): Refused[] => {
  const ask =
    (products: (world: World) => object[]): Ask =>
    (world) => {
      const { params, body } = around(world);
      return { ...(params && { params }), body: { ...(body as object), products: products(world) } };
    };
  return [
    refused(
      'an unknown item',
      'item.not-found',
      ask(() => [{ itemId: nobody }]),
      'body.products.0.itemId',
    ),
    refused(
      'an embroidery item',
      'item.embroidery',
      ask(({ items }) => [{ itemId: items['embroidery-t-shirt'].id }]),
      'body.products.0.itemId',
    ),
    refused(
      'a variant of another item',
      'item-variant.not-of-item',
      ask((world) => [{ itemId: world.items['t-shirt'].id, exemplaryItemVariantId: mugVariant(world) }]),
      'body.products.0.exemplaryItemVariantId',
    ),
    refused(
      'cover on a mug',
      'resize-mode.not-allowed',
      ask(({ items }) => [{ itemId: items['mug'].id, resizeMode: 'cover' }]),
      'body.products.0.resizeMode',
    ),
    refused(
      'an item twice',
      'product.duplicate-item',
      ask(({ items }) => [{ itemId: items['mug'].id }, { itemId: items['mug'].id }]),
      'body.products.1.itemId',
    ),
  ];
};

const newMaterialBody = ({ items, texture }: World) => ({
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

export const table: { readonly [Name in OperationName]: Row<Name> } = {
  'activities.list': {
    ...plain,
    succeeds: () => ({ query: { limit: 30 } }),
    wrong: { 'query.limit': wrongText.activityLimit },
    notMine: own,
  },
  'activities.unreads': { ...plain, succeeds: () => ({}), notMine: own },
  'banners.list': { ...plain, succeeds: () => ({}) },
  'categories.list': { ...plain, succeeds: () => ({}) },

  'choices.list': {
    ...plain,
    succeeds: ({ other }) => ({ query: { ...page, userId: other.id, userName: other.name } }),
    wrong: { ...wrongPage, 'query.userId': wrongText.id, 'query.userName': wrongText.name },
    unknown: filtered,
    unpublished: 'shows no products',
    secret: leftOut(
      'a secret choice',
      ({ theirs }) => theirs.secretChoice,
      idsIn('choices'),
      ({ other }) => ({ query: { ...page, userId: other.id } }),
    ),
    violating: 'shows no products',
  },
  'choices.get': {
    ...plain,
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
    ...choosing,
  },
  'choices.update': {
    succeeds: (world) => ({
      params: choiceOfMine(world),
      body: {
        title: 'For the winter',
        description: null,
        bannerUrl: null,
        secret: false,
        choiceProducts: [{ productId: world.mine.product }],
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
    ...choosing,
    unknown: [...choice.unknown({ title: 'x' }), ...choosing.unknown],
  },
  'choices.delete': {
    ...plain,
    succeeds: async ({ newChoice }) => ({ params: { choiceId: await newChoice() } }),
    wrong: { 'params.choiceId': wrongText.id },
    notMine: choice.notMine(),
    unknown: choice.unknown(),
    secret: choice.secret(),
    impossible: nothing,
  },
  'choices.add': {
    succeeds: (world) => ({ params: choiceOfMine(world), body: { productId: world.theirs.product } }),
    wrong: {
      'params.choiceId': wrongText.id,
      'body.productId': wrongJson.id,
      'body.itemVariantId': wrongJson.id,
    },
    notMine: choice.notMine({}),
    unknown: [...choice.unknown({}), addingToChoice(() => nobody, 'an unknown product')],
    unpublished: [addingToChoice(unpublishedProduct, 'an unpublished product')],
    secret: choice.secret({}),
    violating: [addingToChoice(violatingProduct, 'a violating product')],
    impossible: [
      refused(
        'a variant of another item',
        'item-variant.not-of-item',
        (world) => ({
          params: choiceOfMine(world),
          body: { productId: world.mine.product, itemVariantId: mugVariant(world) },
        }),
        'body.itemVariantId',
      ),
    ],
  },
  'choices.remove': {
    succeeds: (world) => ({ params: choiceOfMine(world), body: { productId: world.theirs.product } }),
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
    ...plain,
    succeeds: ({ theirs }) => ({ params: { choiceId: theirs.choice }, query: page }),
    wrong: { 'params.choiceId': wrongText.id, ...wrongPage },
    notMine: reading,
    unknown: choice.unknown(),
    unpublished: leftOut('an unpublished product', unpublishedProduct, productsIn, ({ theirs }) => ({
      params: { choiceId: theirs.choice },
    })),
    secret: choice.secret(),
    violating: leftOut('a violating product', violatingProduct, productsIn, ({ theirs }) => ({
      params: { choiceId: theirs.choice },
    })),
  },

  'favorites.of-product': {
    ...plain,
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
    ...plain,
    succeeds: ({ other }) => ({ params: { userId: other.id }, query: page }),
    wrong: { 'params.userId': wrongText.id, ...wrongPage },
    notMine: reading,
    unknown: [refused('an unknown user', 'user.not-found', () => ({ params: { userId: nobody } }))],
    unpublished: leftOut(
      'an unpublished product',
      unpublishedProduct,
      ({ favorites }) => favorites.map((it: any) => it.product.id),
      ({ other }) => ({ params: { userId: other.id } }),
    ),
    violating: leftOut(
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
    notMine: 'every product can be favored, also the own one',
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
      refused('an unknown product', 'favorite.not-found', () => ({ params: { productId: nobody } })),
      refused('a favorite that is not there', 'favorite.not-found', ({ mine }) => ({
        params: { productId: mine.product },
      })),
    ],
    unpublished: 'a favorite of a hidden product can be deleted',
    secret: noChoices,
    violating: 'a favorite of a hidden product can be deleted',
    impossible: nothing,
  },

  'items.list': { ...plain, succeeds: () => ({}) },

  'materials.list': {
    ...plain,
    succeeds: ({ other }) => ({ query: { ...page, userId: other.id } }),
    wrong: { ...wrongPage, 'query.userId': wrongText.id },
    unknown: filtered,
    unpublished: leftOut(
      'an unpublished material',
      ({ theirs }) => theirs.unpublished.material,
      idsIn('materials'),
      ({ other }) => ({ query: { ...page, userId: other.id } }),
    ),
    violating: leftOut(
      'a violating material',
      ({ theirs }) => theirs.violating.material,
      idsIn('materials'),
      ({ other }) => ({ query: { ...page, userId: other.id } }),
    ),
  },
  'materials.get': {
    ...plain,
    succeeds: ({ theirs }) => ({ params: { materialId: theirs.material } }),
    wrong: { 'params.materialId': wrongText.id },
    notMine: reading,
    unknown: material.unknown(),
    unpublished: material.unpublished(),
    violating: material.violating(),
  },
  'materials.create': {
    succeeds: (world) => ({ body: newMaterialBody(world) }),
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
      refused('an empty texture', 'texture.empty', () => ({ body: { texture: 'data:,', title: 'x' } }), 'body.texture'),
      refused(
        'a texture that is no image',
        'texture.unsupported-format',
        () => ({ body: { texture: 'data:,hello', title: 'x' } }),
        'body.texture',
      ),
      refused(
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
      ...impossibleProducts(({ texture }) => ({ body: { texture, title: 'x' } })),
    ],
  },
  'materials.text': {
    succeeds: ({ items }) => ({
      body: {
        text: 'Hello\nworld',
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
      refused(
        'a variant of another item',
        'item-variant.not-standard-t-shirt',
        (world) => ({ body: { text: 'x', itemVariantId: mugVariant(world) } }),
        'body.itemVariantId',
      ),
      refused(
        'an unknown variant',
        'item-variant.not-standard-t-shirt',
        () => ({ body: { text: 'x', itemVariantId: nobody } }),
        'body.itemVariantId',
      ),
      refused('nothing to print', 'text.blank', () => ({ body: { text: ' \n　' } }), 'body.text'),
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
    impossible: impossibleProducts(({ mine }) => ({ params: { materialId: mine.material }, body: {} })),
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
    ...plain,
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
    unpublished: leftOut('an unpublished product', unpublishedProduct, productsIn, ({ other }) => ({
      query: { ...page, userId: other.id },
    })),
    violating: leftOut('a violating product', violatingProduct, productsIn, ({ other }) => ({
      query: { ...page, userId: other.id },
    })),
  },
  'products.search': {
    ...plain,
    succeeds: ({ items }) => ({ query: { ...page, q: 'Seen', itemId: items['t-shirt'].id } }),
    wrong: { ...wrongPage, 'query.itemId': wrongText.id, 'query.q': wrongText.search },
    unknown: filtered,
    unpublished: leftOut('an unpublished product', unpublishedProduct, productsIn, () => ({
      query: { ...page, q: 'Unseen' },
    })),
    violating: leftOut('a violating product', violatingProduct, productsIn, () => ({
      query: { ...page, q: 'Wrong' },
    })),
  },
  'products.on-sale': {
    ...plain,
    succeeds: () => ({ query: page }),
    wrong: wrongPage,
    unpublished: leftOut('an unpublished product', unpublishedProduct, productsIn, () => ({ query: page })),
    violating: leftOut('a violating product', violatingProduct, productsIn, () => ({ query: page })),
  },
  'products.get': {
    ...plain,
    succeeds: ({ theirs }) => ({ params: { productId: theirs.product } }),
    wrong: { 'params.productId': wrongText.id },
    notMine: reading,
    unknown: product.unknown(),
    unpublished: product.unpublished(),
    violating: product.violating(),
  },
  'promotions.list': { ...plain, succeeds: () => ({}) },
  'schema.hyper': { ...plain, succeeds: () => ({}) },
  'schema.openapi': { ...plain, succeeds: () => ({}) },

  'users.list': {
    ...plain,
    succeeds: ({ other }) => ({ query: { ...page, name: other.name } }),
    wrong: { ...wrongPage, 'query.name': wrongText.name },
  },
  'users.get': {
    ...plain,
    succeeds: ({ other }) => ({ params: { userId: other.id } }),
    wrong: { 'params.userId': wrongText.id },
    unknown: [refused('an unknown user', 'user.not-found', () => ({ params: { userId: nobody } }))],
  },
  'users.self': { ...plain, succeeds: () => ({}), notMine: own },
  'users.update': {
    ...plain,
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
};

/** Requests of the right shape that change nothing and cost little, but count: they are what reaches a limit. */
export const counted: { readonly [Name in LimitedOperationName]: Asked } = {
  'choices.add': { params: { choiceId: nobody }, body: {} },
  'choices.create': { body: { title: 'x', choiceProducts: [{ productId: nobody }] } },
  'choices.delete': { params: { choiceId: nobody } },
  'choices.remove': { params: { choiceId: nobody }, body: {} },
  'choices.update': { params: { choiceId: nobody }, body: {} },
  'favorites.create': { params: { productId: nobody }, body: {} },
  'favorites.delete': { params: { productId: nobody } },
  'materials.create': { body: { texture: 'data:,', title: 'x' } },
  'materials.delete': { params: { materialId: nobody } },
  'materials.text': { body: { text: ' ' } },
  'materials.update': { params: { materialId: nobody }, body: {} },
  'users.update': { body: {} },
};
