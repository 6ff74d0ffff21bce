import { Injectable } from '@nestjs/common';
import { type ImportedItem, type ItemDetails, problems } from '#contracts';
import { DomainError } from '#kernel';
import { Database } from '#persistence';

const importedItems = `
  select i.id, i.name, i.version, i.enabled,
    (select count(*)::integer from item_variants v where v.item_id = i.id and v.enabled) as variants,
    (select count(*)::integer from products p where p.item_id = i.id) as products
  from items i where i.version > 0`;

const itemDetails = `
  select i.id, i.name, i.version, i.enabled, i.display_name as "displayName", i.category_name as category,
    i.angles, i.layers,
    (select count(*)::integer from products p where p.item_id = i.id) as products,
    (select coalesce(json_agg(json_build_object('color', c.name, 'size', s.name, 'price', v.price) order by v.position), '[]')
       from item_variants v join colors c on c.id = v.color_id join sizes s on s.id = v.size_id
       where v.item_id = i.id and v.enabled) as variants,
    (select json_agg(json_build_object(
         'name', place, 'price', coalesce(price, 0),
         'width', i.print_areas -> place -> 'millimetres' -> 'width',
         'height', i.print_areas -> place -> 'millimetres' -> 'height') order by position)
       from unnest(i.available_print_places) with ordinality as places (place, position)
       left join lateral (
         select max(p.price) as price from print_places p join item_variants v on v.id = p.item_variant_id
         where v.item_id = i.id and v.enabled and p.place = places.place) prices on true) as "printPlaces"
  from items i where i.name = $1`;

/** Items of the operator, as the operator command shows them. */
@Injectable()
export class ImportedItemQueries {
  constructor(private readonly database: Database) {}

  list(): Promise<ImportedItem[]> {
    return this.database.query<ImportedItem>(`${importedItems} order by i.name`);
  }

  async one(name: string): Promise<ImportedItem> {
    const [item] = await this.database.query<ImportedItem>(`${importedItems} and i.name = $1`, [name]);
    return item!;
  }

  /** @throws DomainError `item.not-found` */
  async details(name: string): Promise<ItemDetails> {
    const [item] = await this.database.query<ItemDetails>(itemDetails, [name]);
    if (!item) throw new DomainError(problems['item.not-found'], `There is no item ${name}.`);
    return item;
  }

  /** Returns the keys of blobs that imported items use. */
  async usedBlobs(keys: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ key: string }>(
      `select distinct blob ->> 'key' as key
       from items cross join lateral jsonb_array_elements(blobs) blob where blob ->> 'key' = any($1)`,
      [keys],
    );
    return rows.map(({ key }) => key);
  }
}
