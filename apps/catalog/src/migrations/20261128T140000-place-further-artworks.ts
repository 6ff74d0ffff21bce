import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addConstraints, dropConstraints, type TableConstraints } from '#persistence';

const constraints: TableConstraints = {
  products: {
    products_prints_placement: `check (not prints @? '$[*].placement ? (!exists (@.matrix[5]))')`,
  },
};

/**
 * Constrains the placements of further images. Runs outside a transaction, because the table is in
 * use: see `addConstraints`.
 */
export class PlaceFurtherArtworks implements MigrationInterface {
  readonly name = 'PlaceFurtherArtworks1795874400000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return addConstraints(runner, constraints);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropConstraints(runner, constraints);
  }
}
