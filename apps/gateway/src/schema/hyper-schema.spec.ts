import Ajv04 from 'ajv-draft-04';
import { readFileSync } from 'node:fs';
import { projectPath } from '#config';
import type { JsonSchema } from './json-schema.js';
import { pointerIn } from './testing/fields.js';
import { hyperText, plainSettings } from './testing/published.js';

const metaSchema = JSON.parse(
  readFileSync(projectPath('apps/gateway/src/schema/testing/hyper-schema-draft-04.json'), 'utf8'),
);

interface Link {
  readonly title: string;
  readonly href: string;
  readonly rel: string;
  readonly method: string;
  readonly schema?: JsonSchema;
  readonly [keyword: string]: unknown;
}

/** A resource of the hyper-schema, with attributes and links. */
interface HyperSchema extends JsonSchema {
  readonly definitions: Record<string, JsonSchema>;
  readonly properties: Record<string, JsonSchema>;
  readonly links: Link[];
}

interface HyperDocument extends HyperSchema {
  readonly title: string;
  readonly definitions: Record<string, HyperSchema>;
}

const published = (text: string): HyperDocument => JSON.parse(text) as HyperDocument;
const hyper = published(hyperText());
const definitions = Object.entries(hyper.definitions);
const links = definitions.flatMap(([name, { links }]) =>
  links.map((link): [link: string, link: Link, resource: string] => [`${name} ${link.title}`, link, name]),
);
const pointer = pointerIn(hyper);

/** Yields every schema of a document. */
function* schemasIn(schema: JsonSchema, path: string): Generator<[path: string, schema: JsonSchema]> {
  yield [path, schema];
  for (const key of ['properties', 'patternProperties', 'definitions'])
    for (const [name, part] of Object.entries((schema[key] ?? {}) as Record<string, JsonSchema>))
      yield* schemasIn(part, `${path}/${key}/${name}`);
  for (const key of ['items', 'schema', 'targetSchema'])
    if (schema[key]) yield* schemasIn(schema[key] as JsonSchema, `${path}/${key}`);
  for (const link of (schema.links ?? []) as Link[])
    yield* schemasIn({ ...link, $ref: '' }, `${path}/links/${link.title}`);
}

describe('the hyper-schema', () => {
  it('describes itself', () => {
    const { $schema, ...own } = hyper;
    expect($schema).toBeDefined();
    expect(Object.keys(hyper.definitions.schema!.properties).sort()).toEqual(Object.keys(own).sort());
  });

  it('satisfies the meta-schema of draft 4', () => {
    const ajv = new Ajv04.default({ strict: false, validateFormats: false });
    const validate = ajv.compile(metaSchema);
    validate(hyper);
    expect(validate.errors).toBeNull();
  });

  it('has the header fields of the format', () => {
    expect(hyper).toMatchObject({
      $schema: 'http://json-schema.org/draft-04/hyper-schema',
      id: 'storefront',
      type: ['object'],
      links: [{ href: 'http://localhost:3000/api/v1', rel: 'self' }],
    });
  });

  it('has no keyword of later drafts that zod writes, and none of this project', () => {
    const text = JSON.stringify([...schemasIn(hyper, '#')].map(([, it]) => Object.keys(it)));
    for (const keyword of ['examples', 'const', 'propertyNames', '$id', '$defs', 'wireNumber', 'isMaterialPrice'])
      expect(text).not.toContain(`"${keyword}"`);
  });

  it.each(links.filter(([, { schema, method }]) => schema && method === 'GET'))(
    '%s: every query parameter is a string with a description and a pattern or length',
    (_, { schema }) => {
      for (const it of Object.values(schema!.properties!)) {
        expect(it).toMatchObject({ type: ['string'], description: expect.any(String), example: expect.any(String) });
        expect(it.pattern ?? it.maxLength ?? it.enum).toBeDefined();
        expect(['string', 'undefined']).toContain(typeof it.default);
      }
    },
  );

  it('contains rate limits, extension marks and an example of 204', () => {
    const rateLimitOf = (name: string) =>
      name === 'materials.text' ? { limit: 7, periodSeconds: 60 } : plainSettings.rateLimitOf(name);
    const { definitions } = published(hyperText(undefined, { ...plainSettings, rateLimitOf }));
    const titled = (resource: string, title: string) => definitions[resource]!.links.find((it) => it.title === title)!;
    expect(titled('material', 'Create from text').ratelimit).toEqual({ period: 60, limit: 7 });
    expect(titled('material', 'Create').ratelimit).toEqual({ period: 900, limit: 200 });
    expect(titled('material', 'Delete').response_example).toMatchObject({ head: expect.stringContaining('204') });
    expect(titled('material', 'Info').extension).toBe(true);
    expect(titled('material', 'Update').extension).toBeUndefined();
    expect(titled('webhook_endpoint', 'List').description).toMatch(/ Tokens of applications are rejected\.$/);
  });

  it('declares date-time only if dates are RFC 3339', () => {
    const createdAt = (dateTimeFormat: 'spec' | 'rfc3339') =>
      published(hyperText(undefined, { ...plainSettings, dateTimeFormat })).definitions.product!.definitions.createdAt!;
    expect(createdAt('spec').format).toBeUndefined();
    expect(createdAt('spec').example).toMatch(new RegExp(createdAt('spec').pattern!));
    expect(createdAt('rfc3339')).toMatchObject({ format: 'date-time', example: '2026-11-20T09:00:00.000+00:00' });
  });
});

// Checks that heroics makes before it generates a client
describe('for heroics', () => {
  it('every property of the root refers to a definition', () => {
    expect(Object.keys(hyper.properties)).toEqual(Object.keys(hyper.definitions));
    for (const { $ref } of Object.values(hyper.properties)) expect(pointer($ref!)).toBeDefined();
  });

  it.each(definitions)('%s has unique link titles, which become method names', (_, { links }) => {
    const names = links.map((it) => it.title.toLowerCase().replaceAll(/[\s-]/g, '_'));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^\w+$/);
  });

  it.each(links)('%s has a path whose parameters resolve to described attributes', (_, { href, method }) => {
    const parameters = href.match(/\{\([%/a-zA-Z0-9_-]*\)\}/g) ?? [];
    expect(href.replaceAll(/\{\([%/a-zA-Z0-9_-]*\)\}/g, '1')).toMatch(/^\/api\/v1(\/[\w.-]+)+$/);
    for (const parameter of parameters) expect(pointer(parameter.slice(2, -2)).description).toEqual(expect.any(String));
    expect(['GET', 'POST', 'PUT', 'DELETE']).toContain(method);
  });

  it('encodes path parameters as clients of this format expect', () => {
    expect(links.find(([name]) => name === 'choice Info')![1].href).toBe(
      '/api/v1/choices/{(%23%2Fdefinitions%2Fchoice%2Fdefinitions%2Fid)}',
    );
  });
});

// Requirements of `prmd verify` and `prmd doc`
describe('for prmd', () => {
  it.each(definitions)('%s and each of its attributes have a description', (_, it) => {
    expect(it).toMatchObject({
      title: expect.any(String),
      description: expect.any(String),
      type: ['object'],
      links: expect.any(Array),
    });
    const { identity, ...attributes } = it.definitions;
    for (const [name, attribute] of Object.entries(attributes)) {
      const { type, description } = attribute;
      expect([name, type, description]).toEqual([name, expect.any(Array), expect.any(String)]);
      expect([name, 'example' in attribute]).toEqual([name, true]);
    }
    expect(Object.keys(identity!)).toEqual(['$ref']);
    expect(pointer(identity!.$ref!)).toMatchObject({ description: expect.any(String), example: expect.anything() });
  });

  it.each(definitions)('%s has exactly its attributes as definitions', (name, it) => {
    const { identity, ...attributes } = it.definitions;
    expect(identity).toBeDefined();
    const own = Object.keys(attributes).map((attribute) => [
      attribute,
      { $ref: `#/definitions/${name}/definitions/${attribute}` },
    ]);
    expect(own).not.toEqual([]);
    expect(Object.entries(it.properties)).toEqual(own);
  });

  it.each(definitions)('%s: each example satisfies its attribute', (name, it) => {
    const ajv = new Ajv04.default({ strict: false, validateFormats: false });
    for (const [attribute, { example }] of Object.entries(it.definitions).filter(([key]) => key !== 'identity')) {
      const $ref = `#/definitions/${name}/definitions/${attribute}`;
      const validate = ajv.compile({ definitions: hyper.definitions, $ref });
      validate(example);
      expect([attribute, validate.errors]).toEqual([attribute, null]);
    }
  });

  it('describes the role of an embedded resource', () => {
    const item = hyper.definitions.product!.definitions.item!;
    expect(item).toMatchObject({ $ref: '#/definitions/item', type: ['object'], example: { name: 't-shirt' } });
    expect(item.description).not.toBe(hyper.definitions.item!.description);
  });

  it('identifies a resource without id by its parent', () => {
    expect(hyper.definitions.profile!.definitions.identity).toEqual({ $ref: '#/definitions/user/definitions/id' });
  });

  it.each(links)('%s has all required fields of a link', (_, link) => {
    expect(link).toMatchObject({
      description: expect.any(String),
      href: expect.any(String),
      method: expect.any(String),
      title: expect.any(String),
    });
    expect(['create', 'destroy', 'self', 'instances', 'update']).toContain(link.rel);
    if (link.schema) expect(link.schema).toMatchObject({ type: ['object'], properties: expect.any(Object) });
  });

  it('one path does not match the path pattern: openapi.json, because of its dot', () => {
    const pathPattern = /^(?:\/(?:(?!-|_)[a-z0-9_-]+(?<!-|_)|\{\(.*\)\}))+$/;
    expect(links.filter(([, { href }]) => !pathPattern.test(href)).map(([name]) => name)).toEqual(['schema OpenAPI']);
  });
});

// Checks that schematic makes before it generates Go
describe('for schematic', () => {
  it('every schema has types and no alternatives, and every reference resolves', () => {
    for (const [path, schema] of schemasIn(hyper, '#')) {
      if (path.endsWith('/identity')) continue;
      if (schema.$ref === undefined) expect([path, schema.type]).toEqual([path, expect.any(Array)]);
      else if (schema.$ref !== '') expect([path, pointer(schema.$ref)]).toEqual([path, expect.any(Object)]);
      expect([path, schema.anyOf, schema.oneOf, schema.allOf]).toEqual([path, undefined, undefined, undefined]);
    }
  });

  it.each(links)('%s has a body if the generated method requires one', (_, { rel, schema }) => {
    if (rel === 'create' || rel === 'update') expect(schema).toBeDefined();
  });

  it('has a title whose first word is the package name', () => {
    expect(hyper.title.toLowerCase().split(' ')[0]).toBe('storefront');
  });
});
