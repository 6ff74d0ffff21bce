import { Injectable } from '@nestjs/common';
import { type ItemBlob, type PrintArea } from '#contracts';
import { Database } from '#persistence';
import { type DisplayName, type ItemAngle } from './item.entity.js';
import { type Printing } from '#blanks';

/** A stored item, joined with its category. */
export interface StoredItem {
  readonly id: number;
  readonly name: string;
  readonly displayName: DisplayName;
  readonly categoryName: string;
  readonly categoryDisplayName: DisplayName;
  readonly categoryDisplayOrder: number;
  readonly displayOrder: number;
  readonly isEmbroidery: boolean;
  readonly resizeModes: readonly string[];
  readonly availablePrintPlaces: readonly string[];
  readonly defaultPrintPlace: string;
  readonly printPlaceDisplayNames: Readonly<Record<string, DisplayName>>;
  readonly printAreas: Readonly<Record<string, PrintArea>>;
  readonly printing: Readonly<Record<string, Printing>>;
  readonly angles: readonly ItemAngle[];
  readonly imageDescriptions: readonly string[];
  readonly exemplaryVariantId: number;
  readonly enabled: boolean;
  /** Number of imported versions; 0 for an item that ships with the service. */
  readonly version: number;
  /** Hash of the packed layers in the blob store. Null = those that ship with the service. */
  readonly layers: string | null;
  readonly blobs: readonly ItemBlob[];
}

/** A stored variant, joined with its color, size and print places. */
export interface StoredVariant {
  readonly id: number;
  readonly itemId: number;
  readonly price: number;
  readonly enabled: boolean;
  readonly color: {
    readonly id: number;
    readonly name: string;
    readonly displayName: DisplayName;
    readonly rgb: string;
  };
  readonly size: { readonly id: number; readonly name: string; readonly displayName: DisplayName };
  readonly printPlaces: readonly { readonly id: number; readonly place: string; readonly price: number }[];
}

export interface StoredCatalog {
  readonly items: readonly StoredItem[];
  readonly variants: readonly StoredVariant[];
}

// One statement reads one database snapshot: a concurrent load is visible in both lists or in
// neither
const wholeCatalog = `
  select
    (select coalesce(json_agg(json_build_object(
        'id', i.id, 'name', i.name, 'displayName', i.display_name,
        'categoryName', c.name, 'categoryDisplayName', c.display_name,
        'categoryDisplayOrder', c.display_order,
        'displayOrder', i.display_order, 'isEmbroidery', i.is_embroidery, 'resizeModes', i.resize_modes,
        'availablePrintPlaces', i.available_print_places, 'defaultPrintPlace', i.default_print_place,
        'printPlaceDisplayNames', i.print_place_display_names, 'printAreas', i.print_areas,
        'printing', i.printing, 'angles', i.angles, 'imageDescriptions', i.image_descriptions, 'exemplaryVariantId', i.exemplary_variant_id, 'enabled', i.enabled, 'version', i.version, 'layers', i.layers, 'blobs', i.blobs
      ) order by i.display_order, i.id), '[]')
      from items i join categories c on c.name = i.category_name) as items,
    (select coalesce(json_agg(json_build_object(
        'id', v.id, 'itemId', v.item_id, 'price', v.price, 'enabled', v.enabled,
        'color', json_build_object('id', c.id, 'name', c.name, 'displayName', c.display_name, 'rgb', c.rgb),
        'size', json_build_object('id', s.id, 'name', s.name, 'displayName', s.display_name),
        'printPlaces', coalesce(p.places, '[]')
      ) order by v.item_id, v.position, v.id), '[]')
      from item_variants v
      join colors c on c.id = v.color_id
      join sizes s on s.id = v.size_id
      left join (
        select item_variant_id, json_agg(json_build_object('id', id, 'place', place, 'price', price) order by id) as places
        from print_places group by item_variant_id
      ) p on p.item_variant_id = v.id) as variants`;

@Injectable()
export class ItemQueries {
  constructor(private readonly database: Database) {}

  /**
   * Returns all items and variants, disabled ones included: items by display order, variants by
   * item id and in the order of the item's file.
   */
  async wholeCatalog(): Promise<StoredCatalog> {
    const [catalog] = await this.database.query<StoredCatalog>(wholeCatalog);
    return catalog!;
  }

  /** Returns the number of imported versions of an item; 0 for an unknown one. */
  async versionOf(itemName: string): Promise<number> {
    const [item] = await this.database.read<{ version: number }>('select version from items where name = $1', [
      itemName,
    ]);
    return item?.version ?? 0;
  }
}
