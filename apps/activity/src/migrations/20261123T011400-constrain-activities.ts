import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxConstraints } from '#events';
import { addConstraints, deletedUsersConstraintsV1, dropConstraints, type TableConstraints } from '#persistence';

const rules = {
  ...outboxConstraints,
  ...deletedUsersConstraintsV1,
  activities: {
    activities_receiver: 'check (receiver_id > 0)',
    // 0: anonymous
    activities_sender: 'check (actor_id >= 0 and sender_id in (0, actor_id))',
    activities_of_others: "check (kind <> 'favorite' or receiver_id <> actor_id)",
    activities_own_pictures: "check (kind <> 'material' or (receiver_id = actor_id and sender_id = actor_id))",
    activities_data: `check (data ?& case kind when 'material' then array['materialId', 'materialTitle']
      else array['productId', 'productTitle'] end)`,
  },
} satisfies TableConstraints;

/**
 * Constraints of the senders, receivers and data of activities, and of the tables of libraries.
 * Runs outside a transaction, because the tables are in use: see `addConstraints`.
 */
export class ConstrainActivities implements MigrationInterface {
  readonly name = 'ConstrainActivities1795396440000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return addConstraints(runner, rules);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropConstraints(runner, rules);
  }
}
