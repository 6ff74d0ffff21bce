import { z } from 'zod';
import {
  Banner,
  BannerListResponse,
  ChoiceCreateBody,
  ChoiceListQuery,
  field,
  operations,
  resources,
} from '#contracts';
import type { ApiTable } from './shapes.js';
import { fieldsOf, pointerIn } from './testing/fields.js';
import { hyperText, openApiText, plainSettings } from './testing/published.js';

interface Described {
  readonly parameters: string[];
  readonly body: string[] | null;
  readonly response: string[] | null;
}

/**
 * Returns the query parameters and fields of all operations of the OpenAPI document, in the same
 * form as `ofHyperSchema`.
 */
function ofOpenApi(document: any): Record<string, Described> {
  const resolve = pointerIn(document);
  const fields = (content: any) => (content ? fieldsOf(Object.values<any>(content)[0].schema, resolve) : null);
  const described: Record<string, Described> = {};
  for (const [path, methods] of Object.entries<any>(document.paths))
    for (const [method, { parameters, requestBody, responses }] of Object.entries<any>(methods)) {
      const success = responses[Object.keys(responses).find((it) => it.startsWith('2'))!];
      described[`${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`] = {
        parameters: parameters.filter((it: any) => it.in === 'query').map((it: any) => it.name),
        body: fields(requestBody?.content),
        response: fields(success.content),
      };
    }
  return described;
}

function ofHyperSchema(document: any): Record<string, Described> {
  const resolve = pointerIn(document);
  const fields = (schema: any) => (schema ? fieldsOf(schema, resolve) : null);
  const described: Record<string, Described> = {};
  for (const { links } of Object.values<any>(document.definitions))
    for (const { method, href, schema, targetSchema } of links) {
      const isQuery = method === 'GET';
      described[`${method} ${href.replaceAll(/\{\([^)]*\)\}/g, '{}')}`] = {
        parameters: isQuery ? Object.keys(schema?.properties ?? {}) : [],
        body: isQuery ? null : fields(schema),
        response: fields(targetSchema),
      };
    }
  return described;
}

const both = (table?: ApiTable) =>
  [ofOpenApi(JSON.parse(openApiText(table))), ofHyperSchema(JSON.parse(hyperText(table)))] as const;

describe('the OpenAPI document and the hyper-schema', () => {
  const [open, hyper] = both();

  it('contain exactly the operations of the table', () => {
    const paths = Object.values(operations).map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, '{}')}`);
    expect(Object.keys(open).sort()).toEqual(paths.sort());
    expect(Object.keys(hyper).sort()).toEqual(paths.sort());
  });

  it.each(Object.keys(open))('have the same fields for %s', (name) => {
    expect(hyper[name]).toEqual(open[name]);
  });

  it('describe nested fields of responses', () => {
    const { response } = open['GET /api/v1/products/{}']!;
    expect(response).toContain('.products!.item!.printPlaceForExtraAngles!{}{}: string');
    expect(response).toContain('.products!.itemVariants![].printPlaces![].price!: integer');
    expect(response).toContain('.product!.material!.publishedAt!: null|string');
  });

  it('use the base URL of the installation in examples', () => {
    const settings = { ...plainSettings, baseUrl: 'https://prints.test/shop' };
    for (const text of [openApiText(undefined, settings), hyperText(undefined, settings)]) {
      const hosts = new Set([...text.matchAll(/https?:\/\/([^/"\s>]+)/g)].map(([, host]) => host));
      // Examples of external pages, and the URL of the schema dialect
      for (const other of ['example.com', 'json-schema.org']) hosts.delete(other);
      expect([...hosts]).toEqual(['prints.test']);
      expect(text).toContain('"https://prints.test/shop/icons/t-shirt.svg"');
      expect(text).toContain('https://prints.test/shop/problems/product.not-found');
    }
  });

  it('contain a new field of the contract without further changes', () => {
    const tint = field(z.string().nullable(), 'A new field.', 'green');
    const NewBanner = Banner.extend({ tint });
    const changed = {
      resources: { ...resources, banner: { ...resources.banner, shape: NewBanner } },
      operations: {
        ...operations,
        'banners.list': {
          ...operations['banners.list'],
          response: BannerListResponse.extend({ banners: z.array(NewBanner) }),
        },
        'choices.list': {
          ...operations['choices.list'],
          query: ChoiceListQuery.extend({
            tint: z.string().meta({ description: 'A new parameter.', examples: ['x'] }),
          }),
        },
        'choices.create': { ...operations['choices.create'], body: ChoiceCreateBody.extend({ tint: tint.optional() }) },
      },
    };
    for (const described of both(changed)) {
      expect(described['GET /api/v1/banners']!.response).toContain('.banners![].tint!: null|string');
      expect(described['GET /api/v1/choices']!.parameters).toContain('tint');
      expect(described['POST /api/v1/choices']!.body).toContain('.tint: null|string');
    }
  });

  it('cannot be built if a field has no example (OpenAPI)', () => {
    const shape = Banner.extend({ tint: z.string() });
    const changed = {
      resources: { ...resources, banner: { ...resources.banner, shape } },
      operations: {
        'banners.list': { ...operations['banners.list'], response: z.object({ banners: z.array(shape) }) },
      },
    };
    expect(() => openApiText(changed)).toThrow('no example');
  });
});
