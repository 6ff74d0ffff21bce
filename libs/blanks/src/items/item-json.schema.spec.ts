import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { itemSchema, itemSchemaPath } from './item-json.schema.js';
import { blanksFolder } from './item.files.js';

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const itemOf = (name: string): any => read(`${blanksFolder}/items/${name}/item.json`);
const validate = new Ajv2020({ strict: false }).compile(itemSchema());

describe('the JSON Schema of item.json', () => {
  it('is up to date; otherwise run `npm run item-schema`', () => {
    expect(read(itemSchemaPath)).toEqual(itemSchema());
  });

  it.each(readdirSync(`${blanksFolder}/items`))('accepts the item that ships: %s', (name) => {
    expect(validate(itemOf(name))).toBe(true);
  });

  it.each<[string, (item: any) => void]>([
    ['price below 0', (it) => (it.variants[0].price = -1)],
    ['name with a space', (it) => (it.name = 'a mug')],
    ['unknown field', (it) => (it.colour = 'red')],
    ['area without height', (it) => delete it.printPlaces[0].millimetres.height],
    ['unknown technique', (it) => (it.printPlaces[0].printing.technique = 'magic')],
    ['text that is too long', (it) => (it.displayName.en = 'x'.repeat(201))],
  ])('rejects a %s', (_, change) => {
    const item = itemOf('mug');
    change(item);
    expect(validate(item)).toBe(false);
  });
});
