import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxConstraints } from '#events';
import { idempotencyConstraints } from '#idempotency';
import { addConstraints, deletedUsersConstraintsV1, dropConstraints, type TableConstraints } from '#persistence';

// Maximum of the setting MATERIAL_PRICE_MAX: sums of prices stay exact in JSON
const price = 'check (price <= 1000000000)';
const address = (column: string) => `check (${column} ~* '^https?://' and char_length(${column}) <= 2048)`;

const rules = {
  ...outboxConstraints,
  ...idempotencyConstraints,
  ...deletedUsersConstraintsV1,
  item_variants: { item_variants_price_bound: price },
  print_places: { print_places_price_bound: price },
  materials: {
    materials_price_bound: price,
    materials_texture_format: "check (texture_format in ('png', 'jpeg', 'webp', 'avif', 'gif'))",
    // Largest sides that material-rendering accepts
    materials_sides: 'check (original_width <= 16384 and original_height <= 16384)',
  },
  products: {
    products_picture_revision: 'check (picture_revision >= 0)',
    products_prints_count: 'check (jsonb_array_length(prints) <= 10)',
  },
  sales: { sales_user: 'check (user_id > 0)' },
  banners: { banners_image_url: address('image_url') },
  promotions: { promotions_url: address('url') },
} satisfies TableConstraints;

/**
 * Rules of the contracts as constraints of the catalog's tables and those of libraries. Runs
 * outside a transaction, because the tables are in use: see `addConstraints`.
 */
export class ConstrainCatalog implements MigrationInterface {
  readonly name = 'ConstrainCatalog1795396260000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return addConstraints(runner, rules);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropConstraints(runner, rules);
  }
}
