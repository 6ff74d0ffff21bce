import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxConstraints } from '#events';
import { addConstraints, dropConstraints, type TableConstraints } from '#persistence';

const rules = {
  ...outboxConstraints,
  textures: {
    textures_sides: 'check (width <= 16384 and height <= 16384)',
    textures_size: 'check (bytes <= 20971520)',
  },
} satisfies TableConstraints;

/**
 * Limits of textures and of the outbox as constraints. Runs outside a transaction, because the
 * tables are in use: see `addConstraints`.
 */
export class ConstrainTextures implements MigrationInterface {
  readonly name = 'ConstrainTextures1795396320000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return addConstraints(runner, rules);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropConstraints(runner, rules);
  }
}
