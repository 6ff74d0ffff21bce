import { z } from 'zod';
import { projectPath } from '#config';
import { BundleItem } from './item-file.schema.js';

/** Path of the JSON Schema of `item.json`, which editors read. */
export const itemSchemaPath = projectPath('blanks', 'item.schema.json');

/**
 * Returns the JSON Schema of `item.json`, with the limits of all fields. `blank check` has the
 * rules between fields.
 */
export const itemSchema = (): object => ({
  title: 'An item of the catalog',
  ...z.toJSONSchema(BundleItem, { io: 'input' }),
});
