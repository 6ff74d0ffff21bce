import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { operations, problems, publicEvents } from '#contracts';
import { openApiText, plainSettings } from './testing/published.js';

const open = JSON.parse(openApiText());
const all: [name: string, operation: any][] = Object.entries<any>(open.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, it]): [string, any] => [`${method.toUpperCase()} ${path}`, it]),
);
const operation = (name: string) => all.find(([it]) => it === name)![1];

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const compiled = new Map<string, ValidateFunction>();
const errorsOf = (schema: object, value: unknown) => {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile({ ...schema, components: { schemas: open.components.schemas } });
  compiled.set(text, validate);
  void validate(value);
  return validate.errors;
};

describe('the OpenAPI document', () => {
  it('satisfies the meta-schema of OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(open))).toEqual({ valid: true });
    expect(open.openapi).toBe('3.1.0');
  });

  it('contains every operation with a unique id', () => {
    expect(all).toHaveLength(Object.keys(operations).length);
    expect(new Set(all.map(([, { operationId }]) => operationId)).size).toBe(all.length);
    expect(operation('GET /api/v1/products/{productId}/favorites').operationId).toBe('listProductFavorites');
    expect(operation('POST /api/v1/choices/{choiceId}').operationId).toBe('addProductToChoice');
    expect(operation('GET /api/v1/openapi.json').operationId).toBe('getOpenApiDocument');
  });

  it('declares numeric parameters as integers with bounds', () => {
    const { parameters } = operation('GET /api/v1/products');
    expect(parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      description: 'Maximum number of entries to return.',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
      example: 20,
    });
    expect(operation('GET /api/v1/activities').parameters[0].schema).toMatchObject({ maximum: 30, default: 30 });
  });

  it.each(all)('%s: every path and query parameter has a description and an example', (_, { parameters }) => {
    for (const it of parameters.filter(({ $ref }: any) => !$ref))
      expect(it).toMatchObject({ description: expect.any(String), example: expect.anything() });
  });

  it.each(all)('%s: the examples satisfy their schemas', (_, { requestBody, responses, parameters }) => {
    for (const it of parameters.filter(({ $ref }: any) => !$ref)) expect(errorsOf(it.schema, it.example)).toBeNull();
    for (const { content } of [requestBody, ...Object.values<any>(responses)].filter(Boolean))
      for (const { schema, example, examples } of Object.values<any>(content ?? {})) {
        const entries = examples ? Object.values<any>(examples) : [{ value: example }];
        for (const it of entries) {
          const value = it.$ref ? open.components.examples[it.$ref.split('/').pop()].value : it.value;
          expect(errorsOf(schema, value)).toBeNull();
        }
      }
  });

  it('declares the headers of rate-limited, paged, conditional, idempotent and localized operations', () => {
    const headers = (name: string, status: number) => Object.keys(operation(name).responses[status].headers);
    const parameters = (name: string) => operation(name).parameters.map(({ $ref }: any) => $ref?.split('/').pop());
    expect(headers('POST /api/v1/materials', 200)).toEqual([
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Idempotency-Replayed',
    ]);
    expect(headers('POST /api/v1/materials', 429)).toContain('Retry-After');
    expect(headers('GET /api/v1/products', 200)).toEqual(['X-Request-Id', 'Link', 'ETag']);
    expect(headers('GET /api/v1/items', 304)).toContain('ETag');
    expect(headers('GET /api/v1/items', 401)).toContain('WWW-Authenticate');
    expect(parameters('POST /api/v1/choices')).toContain('IdempotencyKey');
    expect(parameters('PUT /api/v1/choices/{choiceId}')).not.toContain('IdempotencyKey');
    expect(parameters('GET /api/v1/products/{productId}')).toContain('IfNoneMatch');
    expect(parameters('GET /api/v1/activities')).toContain('AcceptLanguage');
    expect(parameters('GET /api/v1/items')).toContain('NameLanguage');
    expect(parameters('POST /api/v1/materials')).toContain('NameAndMessageLanguage');
    expect(parameters('GET /api/v1/banners')).toEqual([]);
  });

  it('declares the error responses of an operation with their problem codes', () => {
    const statuses = (name: string) => Object.keys(operation(name).responses).map(Number);
    const common = [401, 500, 503, 504];
    expect(statuses('GET /api/v1/items')).toEqual([200, 304, ...common]);
    expect(statuses('GET /api/v1/products')).toEqual([200, 304, 400, ...common]);
    expect(statuses('PUT /api/v1/materials/{materialId}')).toEqual([
      ...[200, 400, 401, 403, 404, 413, 415, 422, 429],
      ...[500, 503, 504],
    ]);
    expect(statuses('GET /api/v1/openapi.json')).toEqual([200, 304, 431, 500]);
    const { description, content } = operation('DELETE /api/v1/materials/{materialId}').responses[403];
    expect(description).toBe(`\`material.not-owned\`: ${problems['material.not-owned'].title}.`);
    expect(content['application/problem+json'].schema).toEqual({ $ref: '#/components/schemas/Problem' });
  });

  it('declares rate limit headers on every response of a rate-limited operation, and on no other', () => {
    const expectedHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    for (const [name, { responses }] of all) {
      // The limit of streams is not one of requests
      const isLimited = 429 in responses && name !== 'GET /api/v1/events/stream';
      for (const [status, { headers }] of Object.entries<any>(responses)) {
        const rateLimitHeaders = Object.keys(headers).filter((it) => it.startsWith('X-RateLimit'));
        expect([name, status, rateLimitHeaders]).toEqual([name, status, isLimited ? expectedHeaders : []]);
      }
    }
    const { headers } = operation('POST /api/v1/materials').responses[401];
    expect(headers['X-RateLimit-Limit'].description).toMatch(/lacks a scope/);
    expect(operation('POST /api/v1/materials').responses[400].headers['X-RateLimit-Limit'].description).toBeUndefined();
  });

  it('declares the required scopes, and no security for public operations', () => {
    expect(operation('GET /api/v1/openapi.json').security).toEqual([]);
    expect(operation('GET /api/v1/items').security).toEqual([{ bearer: [] }, { oauth2: ['read'] }]);
    expect(operation('POST /api/v1/choices').security).toEqual([{ bearer: [] }, { oauth2: ['read', 'write'] }]);
  });

  it('declares that webhook endpoints, and no other operations, reject tokens of applications', () => {
    for (const [name, { description, security, responses }] of all) {
      const rejects = name.includes('/webhook_endpoints');
      const isListed = security.some((it: object) => 'oauth2' in it);
      expect([name, isListed]).toEqual([name, !rejects && name !== 'GET /api/v1/openapi.json']);
      expect([name, description.includes('Tokens of applications are rejected.')]).toEqual([name, rejects]);
      const codes = responses[403]?.content['application/problem+json'].examples ?? {};
      expect([name, 'application.not-allowed' in codes]).toEqual([name, rejects]);
    }
  });

  it('contains the URLs of the OAuth server and all scopes', () => {
    const { components } = JSON.parse(openApiText(undefined, { ...plainSettings, baseUrl: 'https://shop.example' }));
    const { authorizationUrl, tokenUrl, refreshUrl, scopes } =
      components.securitySchemes.oauth2.flows.authorizationCode;
    expect({ authorizationUrl, tokenUrl, refreshUrl }).toEqual({
      authorizationUrl: 'https://shop.example/oauth/authorize',
      tokenUrl: 'https://shop.example/oauth/token',
      refreshUrl: 'https://shop.example/oauth/token',
    });
    expect(Object.keys(scopes)).toEqual(['read', 'write']);
    expect(components.securitySchemes.oauth2.description).toContain(
      'https://shop.example/.well-known/oauth-authorization-server',
    );
  });

  it('has URL patterns that require a host and do not escape slashes', () => {
    const { CreateMaterialRequest, CreateChoiceRequest } = open.components.schemas;
    const patterns: string[] = [
      CreateMaterialRequest.properties.texture.pattern,
      CreateChoiceRequest.properties.bannerUrl.pattern,
    ];
    for (const pattern of patterns) {
      expect(pattern).not.toContain(String.raw`\/`);
      const urls = ['http://', 'https:', 'http:///', 'http://?x', 'http://a', 'https://example.com/cat.png'];
      expect(urls.filter((url) => new RegExp(pattern, 'u').test(url))).toEqual(urls.slice(-2));
    }
    expect(CreateMaterialRequest.properties.texture.pattern).toBe('^(?:https?://[^\\s/?#]|data:)');
  });

  it('requires a body only if the operation does', () => {
    expect(operation('POST /api/v1/materials').requestBody.required).toBe(true);
    expect(operation('POST /api/v1/products/{productId}/favorites').requestBody.required).toBe(false);
  });

  it('describes each event that webhook endpoints receive: version, headers, and an example valid against the schema', () => {
    expect(Object.keys(open.webhooks)).toEqual(Object.keys(publicEvents));
    for (const [type, { version }] of Object.entries(publicEvents)) {
      const { post } = open.webhooks[type];
      expect([type, post['x-event-version']]).toEqual([type, version]);
      expect(post.parameters.map(({ name }: any) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
      const { schema, example } = post.requestBody.content['application/json'];
      expect([type, errorsOf(schema, example)]).toEqual([type, null]);
      expect([type, errorsOf(schema, { ...example, type: 'other' })]).not.toEqual([type, null]);
    }
    expect(open.webhooks['material.created'].post.operationId).toBe('onMaterialCreated');
  });

  it('allows new fields in responses: no object is closed', () => {
    expect(JSON.stringify(open)).not.toContain('"additionalProperties":false');
  });

  it('describes itself', () => {
    const { schema } = operation('GET /api/v1/openapi.json').responses[200].content['application/json'];
    expect(schema).toEqual({ $ref: '#/components/schemas/OpenApiDocument' });
    const { properties } = open.components.schemas.OpenApiDocument;
    expect(Object.keys(properties).sort()).toEqual(Object.keys(open).sort());
  });

  it('has a UUID as the request id in its examples', () => {
    const { requestId } = open.components.examples['choice.full'].value;
    expect(requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('contains the base URL and the maximum price of the installation', () => {
    const other = JSON.parse(openApiText(undefined, { ...plainSettings, baseUrl: 'https://shop.example' }));
    expect(other.servers).toEqual([{ url: 'https://shop.example' }]);
    expect(other.components.examples['choice.full'].value.type).toBe('https://shop.example/problems/choice.full');
    expect(other.components.schemas.CreateMaterialRequest.properties.price.maximum).toBe(100_000);
  });
});
