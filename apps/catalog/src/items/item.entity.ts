import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type ItemBlob, type PrintArea } from '#contracts';
import { type Printing } from '#blanks';

/** Name for display by language. */
export interface DisplayName {
  readonly ja: string;
  readonly en: string;
}

export interface ItemAngle {
  readonly name: string;
  readonly printPlace: string;
  readonly essential: boolean;
  /** True for an angle that shows how the item is worn. */
  readonly wearing?: boolean | undefined;
}

@Entity('colors')
export class ColorEntity {
  @PrimaryColumn('bigint')
  id!: number;

  @Column('text')
  name!: string;

  @Column('jsonb', { name: 'display_name' })
  displayName!: DisplayName;

  @Column('text')
  rgb!: string;
}

@Entity('sizes')
export class SizeEntity {
  @PrimaryColumn('bigint')
  id!: number;

  @Column('text')
  name!: string;

  @Column('jsonb', { name: 'display_name' })
  displayName!: DisplayName;
}

@Entity('categories')
export class CategoryEntity {
  @PrimaryColumn('text')
  name!: string;

  @Column('jsonb', { name: 'display_name' })
  displayName!: DisplayName;

  @Column('integer', { name: 'display_order' })
  displayOrder!: number;
}

@Entity('items')
export class ItemEntity {
  @PrimaryColumn('bigint')
  id!: number;

  @Column('text')
  name!: string;

  @Column('jsonb', { name: 'display_name' })
  displayName!: DisplayName;

  @Column('text', { name: 'category_name' })
  categoryName!: string;

  @Column('integer', { name: 'display_order' })
  displayOrder!: number;

  @Column('boolean', { name: 'is_embroidery' })
  isEmbroidery!: boolean;

  @Column('text', { name: 'resize_modes', array: true })
  resizeModes!: string[];

  @Column('text', { name: 'available_print_places', array: true })
  availablePrintPlaces!: string[];

  @Column('text', { name: 'default_print_place' })
  defaultPrintPlace!: string;

  /** Display names of the item's print places, always including front and back. */
  @Column('jsonb', { name: 'print_place_display_names' })
  printPlaceDisplayNames!: Record<string, DisplayName>;

  @Column('jsonb', { name: 'print_areas' })
  printAreas!: Record<string, PrintArea>;

  /** Requirements of the printer by print place. */
  @Column('jsonb')
  printing!: Record<string, Printing>;

  @Column('jsonb')
  angles!: ItemAngle[];

  @Column('text', { name: 'image_descriptions', array: true })
  imageDescriptions!: string[];

  @Column('bigint', { name: 'exemplary_variant_id' })
  exemplaryVariantId!: number;

  @Column('boolean')
  enabled!: boolean;

  /** Number of imported versions; 0 for an item that ships with the service. */
  @Column('integer')
  version!: number;

  /** Hash of the imported bundle. */
  @Column('text', { name: 'bundle_hash', nullable: true })
  bundleHash!: string | null;

  /** Hash of the packed layers in the blob store. */
  @Column('text', { nullable: true })
  layers!: string | null;

  /** Layers and icons in the blob store. */
  @Column('jsonb')
  blobs!: ItemBlob[];
}

@Entity('item_variants')
export class ItemVariantEntity {
  @PrimaryColumn('bigint')
  id!: number;

  @Column('bigint', { name: 'item_id' })
  itemId!: number;

  @Column('bigint', { name: 'color_id' })
  colorId!: number;

  @Column('bigint', { name: 'size_id' })
  sizeId!: number;

  @Column('integer')
  price!: number;

  @Column('boolean')
  enabled!: boolean;

  /** Position within the item, in the order of the file. */
  @Column('integer')
  position!: number;
}

@Entity('print_places')
export class PrintPlaceEntity {
  @PrimaryColumn('bigint')
  id!: number;

  @Column('bigint', { name: 'item_variant_id' })
  itemVariantId!: number;

  @Column('text')
  place!: string;

  @Column('integer')
  price!: number;
}

/** Entities in the order of their foreign keys, referenced ones first. */
export const itemEntities = [
  ColorEntity,
  SizeEntity,
  CategoryEntity,
  ItemEntity,
  ItemVariantEntity,
  PrintPlaceEntity,
] as const;
