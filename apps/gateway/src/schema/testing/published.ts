import { type Operation, type OperationName, operations, resources } from '#contracts';
import type { DocumentSettings } from '../document-settings.js';
import { hyperSchema } from '../hyper-schema.js';
import { openApi } from '../openapi.js';
import type { ApiTable } from '../shapes.js';

/** Settings of an installation with defaults. */
export const plainSettings: DocumentSettings = {
  baseUrl: 'http://localhost:3000',
  dateTimeFormat: 'spec',
  materialPriceMax: 100_000,
  rateLimitOf: (name) => (operations as Record<string, Operation>)[name as OperationName]?.rateLimit,
};

const apiTable: ApiTable = { operations, resources };

/** Returns the hyper-schema of a table, as served to clients. */
export const hyperText = (table = apiTable, settings = plainSettings): string =>
  JSON.stringify(hyperSchema(table, settings));

/** Returns the OpenAPI document of a table, as served to clients. */
export const openApiText = (table = apiTable, settings = plainSettings): string =>
  JSON.stringify(openApi(table, settings));
