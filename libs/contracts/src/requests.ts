import { z } from 'zod';
import { displayName } from './account-fields.js';
import {
  activityLimitText,
  eventLimitText,
  field,
  idNumber,
  idText,
  limitText,
  nameText,
  offsetText,
  text,
  webUrl,
} from './field.js';
import { limits } from './limits.js';
import { EventType, type PublicEventType, publicEventTypes } from './public-events.js';
import { PlacementInput } from './resources/placement.js';
import { PrintFileFormat } from './resources/print-files.js';
import { ResizeMode } from './resources/product.js';
import { WebhookDeliveryStatus, WebhookSignature } from './resources/webhook.js';
import { visibleText } from './visible-line.js';

// Requests of clients: path parameters, query strings and bodies. Unknown keys are ignored

const limit = field(limitText(20), 'Maximum number of entries to return.', '20');
const offset = field(offsetText, 'Number of entries to skip.', '0');
export const page = { limit, offset };

const userId = field(idText.optional(), 'Filters by the identifier of the user.', '1');
const userName = field(nameText.optional(), 'Filters by the exact name of the user.', 'hanako');
const itemId = field(idText.optional(), 'Filters by the identifier of the item.', '1');

export const ChoiceParams = z.object({ choiceId: field(idText, 'Identifier of the choice.', '1') });
export const MaterialParams = z.object({ materialId: field(idText, 'Identifier of the material.', '1') });
export const ProductParams = z.object({ productId: field(idText, 'Identifier of the product.', '1') });
export const PrintFilesParams = ProductParams.extend({
  printFilesId: field(idText, 'Identifier of the print files.', '1'),
});
export const UserParams = z.object({ userId: field(idText, 'Identifier of the user.', '1') });

const endpointId = field(idText, 'Identifier of the webhook endpoint.', '1');
export const WebhookEndpointParams = z.object({ endpointId });
export const WebhookDeliveryParams = z.object({
  endpointId,
  deliveryId: field(idText, 'Identifier of the delivery.', '1'),
});

export const PageQuery = z.object(page);
export const ActivityListQuery = z.object({
  limit: field(activityLimitText, 'Maximum number of activities to return.', '30'),
});
export const ChoiceListQuery = z.object({ ...page, userId, userName });

const eventCursor = z
  .string({ error: 'must be given only once' })
  .regex(/^(latest|0|[1-9][0-9]{0,17})$/, { error: 'must be a cursor from `meta.cursor`, or `latest`' })
  .optional();
const eventTypes = field(
  z
    .string({ error: 'must be given only once' })
    .max(1_000, { error: 'must have at most 1000 characters' })
    .refine((list) => list.split(',').every((type) => EventType.safeParse(type).success), {
      error: 'must be types of events, separated by commas',
    })
    .transform((list) => [...new Set(list.split(',') as PublicEventType[])])
    .optional(),
  'Filters by types, separated by commas.',
  'product.published,product.unpublished',
);
export const EventListQuery = z.object({
  after: field(
    eventCursor,
    'Cursor of an earlier response: returns the events after it. `latest` returns no events and the cursor of the end. Default: the oldest stored event.',
    'latest',
  ),
  types: eventTypes,
  limit: field(eventLimitText, 'Maximum number of events to return.', '50'),
});
export const EventStreamQuery = z.object({
  after: field(
    eventCursor,
    'Cursor of an earlier response: starts with the events after it. The header `Last-Event-ID` has precedence. Default: `latest`, new events only.',
    'latest',
  ),
  types: eventTypes,
});
export const FavoriteListQuery = z.object({ ...page, itemId });
export const MaterialListQuery = z.object({ ...page, userId });
export const ProductListQuery = z.object({
  ...page,
  itemId,
  userId,
  userName,
  materialId: field(idText.optional(), 'Filters by the identifier of the material.', '1'),
});
export const ProductSearchQuery = z.object({
  ...page,
  itemId,
  q: field(
    text(0, 100).default(''),
    'Search query. Every word must occur in the title or in the item name.',
    'lighthouse',
  ),
});
export const UserListQuery = z.object({
  ...page,
  name: userName,
});
export const WebhookDeliveryListQuery = z.object({
  ...page,
  status: field(WebhookDeliveryStatus.optional(), 'Filters by status.', 'failed'),
});

/** Valid example: 8 x 8 pixels of one color. */
const exampleImage =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAMAAADz0U65AAAAA1BMVEXMMzN0dFbYAAAADElEQVQI12NgoA4AAABIAAH/myMhAAAAAElFTkSuQmCC';

/** Names of colors or angles, which the catalog checks. */
const namesOf = (what: string) =>
  z
    .array(z.string({ error: `must be a name of ${what}` }).max(64, { error: 'must have at most 64 characters' }))
    .max(100, { error: 'must have at most 100 entries' })
    .default([]);

/**
 * Image as URL or data URI. The gateway stores the image of a data URI in the blob store and sends
 * the blob key to the service.
 */
export const TextureText = z
  .string()
  .regex(/^(?:https?:\/\/[^\s/?#]|data:)/i, { error: 'must be an http or https URL, or a data URI', abort: true })
  .refine((value) => /^data:/i.test(value) || value.length <= 2_048, { error: 'must have at most 2048 characters' });

const MaterialPrice = z
  .int({ error: 'must be an integer' })
  .min(0, { error: 'must be 0 or more' })
  // The maximum is a setting: `withMaximumPrice` checks it, and the API documents contain it
  .meta({ isMaterialPrice: true });

const Title = visibleText(1, 255);
const Description = text(0, 10_000);

const title = field(Title, 'Title of the material, 1 to 255 characters.', 'Lighthouse');
const price = field(
  MaterialPrice,
  'Margin of the creator, added to the price of the item variant, excluding tax.',
  300,
);
const description = field(Description.nullable(), 'Description of the material, at most 10,000 characters.', null);

const placement = PlacementInput.nullable()
  .optional()
  .meta({
    description:
      'Position of the image in the print area; omitted values have their defaults. Null = as fitted by `resizeMode`. (Extension.)',
    examples: [{ scale: 0.5, y: -0.1, rotation: 15 }],
  });

export const SubMaterial = z.object({
  texture: field(TextureText, 'Image as URL or data URI, at most 20 MB.', exampleImage),
  printSide: field(text(1, 64), 'Print place of the image.', 'back'),
  enabled: field(z.boolean().default(true), 'True to print the image.', true),
  placement,
});

const productFields = {
  itemId: field(idNumber.optional(), 'Identifier of the item. Optional if `exemplaryItemVariantId` is given.', 1),
  exemplaryItemVariantId: field(
    idNumber.optional(),
    'Identifier of the representative variant. Default: the exemplary variant of the item, or the current variant on update.',
    1,
  ),
  resizeMode: field(
    ResizeMode.nullable().optional(),
    '`contain` fits the whole image into the print area. `cover` fills the print area, if the item allows it.',
    'contain',
  ),
  placement,
};

/**
 * Product of a new material. The catalog checks that an item is given, directly or by a variant.
 */
export const MaterialProduct = z.object({
  ...productFields,
  published: field(z.boolean().default(false), 'True to publish the product.', true),
  sub_materials: z
    .array(SubMaterial)
    .max(10, { error: 'must have at most 10 entries' })
    .default([])
    .meta({ description: 'Images for other print places.' }),
});

/** Product of an updated material. Omitted fields stay unchanged. */
export const MaterialProductUpdate = z.object({
  ...productFields,
  published: field(z.boolean().optional(), 'True to publish the product, false to unpublish it.', true),
  sub_materials: z
    .array(z.object({ printSide: SubMaterial.shape.printSide.optional(), placement }))
    .max(10, { error: 'must have at most 10 entries' })
    .nullable()
    .optional()
    .meta({
      description: 'Positions of images that the product has on other print places. (Extension.)',
      examples: [[]],
    }),
});

const tooManyProducts = { error: 'must have at most 100 entries' };

export const MaterialCreateBody = z.object({
  texture: field(TextureText, 'Image as URL or data URI, at most 20 MB.', exampleImage),
  title,
  price: price.default(0),
  description: description.default(null),
  products: z
    .array(MaterialProduct)
    .max(100, tooManyProducts)
    .default([])
    .meta({ description: 'Products to create, at most one for each item.' }),
});

export const MaterialUpdateBody = z
  .object({
    title: title.optional(),
    price: price.optional(),
    description: description.optional(),
    products: z
      .array(MaterialProductUpdate)
      .max(100, tooManyProducts)
      .optional()
      .meta({ description: 'Products to update, or to create if the material has no product of the item.' }),
  })
  .default({});

export const MaterialTextBody = z.object({
  text: field(text(1, 255), 'Text to print, 1 to 255 characters.', 'Hello'),
  itemVariantId: field(
    idNumber.optional(),
    'Identifier of a variant of the standard T-shirt. Default: white, size M.',
    1,
  ),
  title: field(Title.optional(), 'Title of the material. Default: the first line of the text. (Extension.)', 'Hello'),
  price: field(price.default(0), 'Margin of the creator, excluding tax. (Extension.)', 300),
  description: field(description.default(null), 'Description of the material. (Extension.)', null),
});

const onlyOneArtwork = { path: ['materialId'], error: 'must not be sent with `texture`' };

export const PreviewCreateBody = z
  .object({
    texture: field(
      TextureText.optional(),
      'Image as URL or data URI, at most 20 MB. Required without `materialId`.',
      exampleImage,
    ),
    materialId: field(
      idNumber.nullable().default(null),
      'Identifier of a material of the current user, whose image is used instead of `texture`.',
      null,
    ),
    placement: PlacementInput.optional().meta({ description: 'Position of the image in the print area of each item.' }),
    resizeMode: field(
      ResizeMode.nullable().optional(),
      '`contain` fits the whole image into the print area. `cover` fills the print area. Items that do not allow it use their default.',
      null,
    ),
    items: z
      .union([field(z.templateLiteral(['all']), 'All items.', 'all'), z.array(idNumber).min(1).max(100)], {
        error: 'must be `all`, or 1 to 100 identifiers of items',
      })
      .default('all')
      .meta({ description: 'Identifiers of the items, or `all`.', examples: [[1, 3]] }),
    colors: namesOf('colors').meta({
      description: 'Names of colors. Items without any of them are shown in their exemplary color, as by default.',
      examples: [['white', 'black']],
    }),
    angles: namesOf('angles').meta({
      description:
        'Names of angles. Items without any of them are shown from their representative angle, as by default.',
      examples: [['front']],
    }),
    size: field(
      z.int({ error: 'must be an integer' }).min(1, { error: 'must be 1 or more' }).default(500),
      'Width and height of the images in pixels: 323, 500, 765, 1024 or 1530.',
      500,
    ),
  })
  .refine(({ texture, materialId }) => texture !== undefined || materialId !== null, {
    path: ['texture'],
    error: 'is required without `materialId`',
  })
  .refine(({ texture, materialId }) => texture === undefined || materialId === null, onlyOneArtwork);

/**
 * Returns, for each body shape with a material price, a copy that also checks the maximum price.
 */
export function withMaximumPrice(maximum: number): ReadonlyMap<z.ZodType, z.ZodType> {
  const bounded = <Price extends z.ZodType<number | undefined>>({ price }: { readonly price: Price }) => ({
    price: price.refine((it) => it === undefined || it <= maximum, { error: `must be ${maximum} or less` }),
  });
  const update = MaterialUpdateBody.unwrap();
  return new Map<z.ZodType, z.ZodType>([
    [MaterialCreateBody, MaterialCreateBody.extend(bounded(MaterialCreateBody.shape))],
    [MaterialUpdateBody, update.extend(bounded(update.shape)).default({})],
    [MaterialTextBody, MaterialTextBody.extend(bounded(MaterialTextBody.shape))],
  ]);
}

export const PrintFilesCreateBody = z
  .object({
    format: field(
      PrintFileFormat.optional(),
      'Format of all files. Default: `pdf` for places that are printed in CMYK, `png` for others.',
      'pdf',
    ),
    variantId: field(
      idNumber.optional(),
      'Identifier of the variant to print. Default: the representative variant of the product.',
      1,
    ),
    places: field(
      z
        .array(text(1, 64))
        .min(1, { error: 'must have at least one entry' })
        .max(11, { error: 'must have at most 11 entries' })
        .optional(),
      'Print places. Default: all printed places of the product.',
      ['front'],
    ),
  })
  .default({});

export const FavoriteCreateBody = z
  .object({
    anonymouse: field(
      z.boolean().optional(),
      'True to add the favorite anonymously. The parameter is spelled this way.',
      false,
    ),
    anonymous: field(z.boolean().optional(), 'Alias of `anonymouse`, which has precedence. (Extension.)', false),
    count: field(z.int().min(1).max(100).default(1), 'Number of favorites to add.', 1),
  })
  .default({ count: 1 });

const productId = field(idNumber, 'Identifier of the product.', 1);
const itemVariantId = field(
  idNumber.optional(),
  'Identifier of the variant. Default: the representative variant of the product.',
  1,
);

const ChoiceProducts = z
  .array(z.object({ productId, itemVariantId }))
  .max(limits.choiceProducts, { error: `must have at most ${limits.choiceProducts} entries` })
  .meta({ description: 'Products of the choice, in order.' });
const choiceDescription = field(Description, 'Description of the choice, at most 10,000 characters.', 'Light things.');
const bannerUrl = field(webUrl, 'URL of the banner image.', 'https://example.com/banner.png');
const secret = field(z.boolean().optional(), 'True to hide the choice from other users. (Extension.)', false);

export const ChoiceCreateBody = z.object({
  title: field(Title, 'Title of the choice, 1 to 255 characters.', 'For the summer'),
  description: choiceDescription.optional(),
  bannerUrl: bannerUrl.optional(),
  secret,
  choiceProducts: ChoiceProducts.default([]),
});

export const ChoiceUpdateBody = z
  .object({
    title: field(Title.optional(), 'Title of the choice, 1 to 255 characters.', 'For the summer'),
    description: choiceDescription.nullable().optional(),
    bannerUrl: bannerUrl.nullable().optional(),
    secret,
    choiceProducts: ChoiceProducts.optional(),
  })
  .default({});

/** Product to add to or remove from a choice. Without `productId` the request has no effect. */
export const ChoiceProductBody = z.object({ productId: productId.optional(), itemVariantId }).default({});

export const UserUpdateBody = z
  .object({
    displayName: field(displayName.nullable().optional(), 'Display name.', 'Hanako'),
    avatarUrl: field(webUrl.nullable().optional(), 'URL of the avatar image.', 'https://example.com/avatars/1.png'),
    profile: z
      .object({
        url: field(webUrl.nullable().optional(), 'URL of the home page of the user.', 'https://example.com'),
        body: field(text(0, 10_000).nullable().optional(), 'Text of the profile.', 'I draw cats.'),
        headerUrl: field(webUrl.nullable().optional(), 'URL of the header image of the profile page.', null),
      })
      .optional()
      .meta({ description: 'Public profile of the user.' }),
  })
  .default({});

const webhookUrl = field(
  webUrl,
  'URL that receives the events: https, a public host, port 443, 80 or 1024 and above.',
  'https://example.com/webhooks',
);
const webhookDescription = field(text(0, 255), 'Description of the endpoint.', 'Order system');
const webhookTypes = field(
  z.array(EventType).max(publicEventTypes.length, { error: `must have at most ${publicEventTypes.length} entries` }),
  'Types of the events to deliver; empty for all types.',
  ['product.published', 'product.unpublished'],
);

export const WebhookEndpointCreateBody = z.object({
  url: webhookUrl,
  description: webhookDescription.default(''),
  types: webhookTypes.default([]),
  applicationId: field(
    idNumber.nullable().default(null),
    'Identifier of an application of the current user. The endpoint then receives the events of all users who allow the application to read. Default: the events of the current user.',
    null,
  ),
  signature: field(
    WebhookSignature.default('v1'),
    '`v1` signs with HMAC-SHA256; `v1a` also signs with Ed25519, for receivers that must not have the secret.',
    'v1',
  ),
});

export const WebhookEndpointUpdateBody = z
  .object({
    url: webhookUrl.optional(),
    description: webhookDescription.optional(),
    types: webhookTypes.optional(),
    status: field(
      z.enum(['enabled', 'paused']).optional(),
      '`paused` stops deliveries; events during a pause are not delivered later. `enabled` also enables a disabled endpoint.',
      'enabled',
    ),
  })
  .default({});

export const WebhookReplayBody = z.object({
  since: field(
    z.iso.datetime({ offset: true, error: 'must be a date and time (RFC 3339)' }),
    'Failed deliveries of events that were logged at or after this time are replayed.',
    '2026-11-20T00:00:00Z',
  ),
});

/** Value of the header `Idempotency-Key`: printable ASCII. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, { error: 'must have 1 to 255 printable characters' });

/** Names of request bodies and their parts in OpenAPI. */
export const requestShapes = {
  CreateMaterialRequest: MaterialCreateBody,
  UpdateMaterialRequest: MaterialUpdateBody,
  CreateMaterialFromTextRequest: MaterialTextBody,
  ProductInput: MaterialProduct,
  ProductUpdateInput: MaterialProductUpdate,
  SubMaterialInput: SubMaterial,
  CreatePreviewsRequest: PreviewCreateBody,
  CreateFavoriteRequest: FavoriteCreateBody,
  CreateChoiceRequest: ChoiceCreateBody,
  UpdateChoiceRequest: ChoiceUpdateBody,
  ChoiceProductRequest: ChoiceProductBody,
  UpdateCurrentUserRequest: UserUpdateBody,
  CreateWebhookEndpointRequest: WebhookEndpointCreateBody,
  UpdateWebhookEndpointRequest: WebhookEndpointUpdateBody,
  ReplayWebhookDeliveriesRequest: WebhookReplayBody,
};
