import Ajv04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface ReceivedResponse {
  readonly status: number;
  /** Parsed JSON; an empty string without a body. */
  readonly body: unknown;
}

type Check = (response: ReceivedResponse) => void;

const pattern = (template: string): RegExp => new RegExp(`^${template.replaceAll(/\{\([^)]*\)\}|\{\w+\}/g, '[^/]+')}$`);

/**
 * Sorts paths with fewer parameters first, so that `/materials/text` is found before
 * `/materials/{id}`, which it matches, too.
 */
const byParameters = (a: string, b: string): number => a.split('{').length - b.split('{').length;

/** Id under which a compiler has the named schemas of its document. */
const namedSchemasId = 'named';

/** Keywords whose value is a map from names to schemas, not a schema. */
const schemaMapKeywords = new Set(['properties', 'patternProperties', 'definitions', 'schemas']);

/**
 * Returns a schema that rejects undeclared fields, so that all response fields must be described.
 * References point to the named schemas, which are compiled once.
 */
function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema && typeof schema.$ref === 'string') return { $ref: `${namedSchemasId}${schema.$ref}` };
  const parts = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      schemaMapKeywords.has(key) ? closeSchemas(value as object) : closeSchema(value),
    ]),
  );
  if (!('properties' in schema) || typeof schema.properties !== 'object') return parts;
  // `$schema` refers to the schema of the response and is allowed
  return { patternProperties: { '^\\$schema$': {} }, ...parts, additionalProperties: false };
}

const closeSchemas = (schemas: object): object =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closeSchema(schema)]));

/**
 * Validates responses against the two published documents: OpenAPI and hyper-schema.
 */
export class ResponseValidator {
  private readonly inOpenApi: (method: string, path: string) => Check | undefined;
  private readonly inHyperSchema: (method: string, path: string) => Check | undefined;

  constructor(openApi: object, hyperSchema: object) {
    this.inOpenApi = openApiChecks(openApi);
    this.inHyperSchema = hyperSchemaChecks(hyperSchema);
  }

  /**
   * Validates a response of the API against both documents.
   *
   * @throws Error with the document and the undescribed part
   */
  expectDescribed(method: string, path: string, response: ReceivedResponse): void {
    const [plain = ''] = path.replace(/^https?:\/\/[^/]+/, '').split('?');
    const address = plain.replace(/(.)\/$/, '$1');
    const checks = [this.inOpenApi(method, address), this.inHyperSchema(method, address)];
    for (const [index, check] of checks.entries()) {
      const name = index === 0 ? 'OpenAPI' : 'the hyper-schema';
      if (!check && response.status !== 404 && response.status !== 405)
        throw new Error(`${name} does not describe ${method} ${address}, which returned ${response.status}`);
      try {
        check?.(response);
      } catch (error) {
        throw new Error(`${name}, ${method} ${address}, ${response.status}: ${(error as Error).message}`);
      }
    }
  }
}

interface Compiler {
  addSchema(schema: object, key: string): unknown;
  compile(schema: object): ValidateFunction;
}

/** Returns a function that validates a value against a schema, which it compiles once. */
function createChecker(ajv: Compiler, schemas: object) {
  ajv.addSchema(closeSchema(schemas) as object, namedSchemasId);
  const compiled = new Map<string, ValidateFunction>();
  return (schema: object, value: unknown): void => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(closeSchema(schema) as object);
    compiled.set(key, validate);
    if (validate(value)) return;
    const errors = validate.errors!.map((it) => `${it.instancePath} ${it.message} ${JSON.stringify(it.params)}`);
    throw new Error(errors.join('; '));
  };
}

function expectNoBody({ body }: ReceivedResponse): void {
  if (body !== '') throw new Error(`unexpected body: ${JSON.stringify(body)}`);
}

function openApiChecks(document: any) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const check = createChecker(ajv, { components: { schemas: document.components.schemas } });
  const paths = Object.keys(document.paths)
    .sort(byParameters)
    .map((template) => [pattern(template), document.paths[template]] as const);
  return (method: string, path: string): Check | undefined => {
    const operation = paths.find(([it, methods]) => it.test(path) && methods[method.toLowerCase()])?.[1][
      method.toLowerCase()
    ];
    if (!operation) return undefined;
    return (response) => {
      const declared = operation.responses[response.status];
      if (!declared) throw new Error('the status is not listed');
      const [content] = Object.values<any>(declared.content ?? {});
      if (content) check(content.schema, response.body);
      else expectNoBody(response);
    };
  };
}

function hyperSchemaChecks(document: any) {
  const ajv = new Ajv04.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const check = createChecker(ajv, { definitions: document.definitions });
  const links = Object.values<any>(document.definitions)
    .flatMap((it) => it.links)
    .sort((a, b) => byParameters(a.href, b.href))
    .map((link) => [pattern(link.href), link] as const);
  return (method: string, path: string): Check | undefined => {
    const link = links.find(([it, link]) => link.method === method && it.test(path))?.[1];
    if (!link) return undefined;
    return (response) => {
      if (response.status >= 400) check({ $ref: '#/definitions/problem' }, response.body);
      else if (link.targetSchema && response.status !== 304) check(link.targetSchema, response.body);
      else expectNoBody(response);
    };
  };
}
