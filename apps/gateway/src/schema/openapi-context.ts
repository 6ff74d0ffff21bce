import type { DocumentSettings } from './document-settings.js';
import type { JsonSchema } from './json-schema.js';
import type { Shapes } from './shapes.js';

/** Shared input of the functions that build parts of the OpenAPI document. */
export interface OpenApiContext {
  readonly shapes: Shapes;
  readonly settings: DocumentSettings;
  readonly example: (schema: JsonSchema) => unknown;
}
