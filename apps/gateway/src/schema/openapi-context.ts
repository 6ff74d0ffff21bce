import type { DocumentSettings } from './document-settings.js';
import type { JsonSchema } from './json-schema.js';
import type { Shapes } from './shapes.js';

/** What the parts of the OpenAPI document are made with. */
export interface OpenApiContext {
  readonly shapes: Shapes;
  readonly settings: DocumentSettings;
  readonly example: (schema: JsonSchema) => unknown;
}
