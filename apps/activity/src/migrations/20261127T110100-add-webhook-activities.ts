import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addConstraints, type TableConstraints } from '#persistence';

const ownKinds = (kinds: string): string =>
  `check (kind not in (${kinds}) or (receiver_id = actor_id and sender_id = actor_id))`;

const before: TableConstraints = {
  activities: {
    activities_kind_check: "check (kind in ('favorite', 'sale', 'material'))",
    activities_own_images: ownKinds("'material'"),
    activities_data: `check (data ?& case kind when 'material' then array['materialId', 'materialTitle']
      else array['productId', 'productTitle'] end)`,
  },
};

const after: TableConstraints = {
  activities: {
    activities_kind_check: "check (kind in ('favorite', 'sale', 'material', 'webhook'))",
    activities_own_images: ownKinds("'material', 'webhook'"),
    activities_data: `check (data ?& case kind when 'material' then array['materialId', 'materialTitle']
      when 'webhook' then array['endpointId', 'host'] else array['productId', 'productTitle'] end)`,
  },
};

/**
 * Allows activities of disabled webhook endpoints. Runs outside a transaction, because the table is
 * in use: see `addConstraints`.
 */
export class AddWebhookActivities implements MigrationInterface {
  readonly name = 'AddWebhookActivities1795777260000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return addConstraints(runner, after);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("delete from activities where kind = 'webhook'");
    await addConstraints(runner, before);
  }
}
