import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addConstraints, dropConstraints, roleOf } from '#persistence';

// Each key contains the hash of its row, so keys are unique. The hash is not a part of the regular
// expression, which PostgreSQL would compile for each row in 0.2 ms
const rules = {
  textures: {
    textures_blob_key:
      "check (blob_key ~ '^textures/[0-9a-f]{64}[.][0-9a-f]{16}$' and substr(blob_key, 10, 64) = hash)",
  },
};

const rowsAtOnce = 5_000;

/**
 * The previous version stores textures under their hash and without a reference, during a rolling
 * update and after a rollback. Its insert may conflict with a row of this version, so the trigger
 * inserts the row and a reference of user 0. The blob `textures/<hash>` is deleted a day later if
 * the row has another key; otherwise it must not be discarded. The trigger ignores the owner of the
 * schema, who restores the references of a backup. No migration drops the trigger yet.
 */
const statements = [
  `create or replace function refer_to_texture_without_user() returns trigger language plpgsql set search_path from current as $$
   declare
     own_key text := 'textures/' || new.hash;
     is_stored_here boolean;
   begin
     insert into textures values (new.*) on conflict do nothing;
     insert into texture_references (user_id, hash, check_at) values (0, new.hash, now() + interval '1 day')
       on conflict (user_id, hash) do update set check_at = excluded.check_at;
     select blob_key is null into is_stored_here from textures where hash = new.hash;
     if is_stored_here then
       delete from discarded_blobs where key = own_key and not claimed;
       if exists (select from discarded_blobs where key = own_key) then
         raise exception 'the bytes of texture % are being deleted', new.hash;
       end if;
     else
       insert into discarded_blobs as known (key, delete_at) values (own_key, now() + interval '1 day')
         on conflict (key) do update set delete_at = excluded.delete_at where not known.claimed;
     end if;
     return null;
   end $$`,
  `create or replace trigger textures_without_user before insert on textures for each row
     when (new.blob_key is null and pg_trigger_depth() = 0 and current_user = '${roleOf('material-rendering')}')
     execute function refer_to_texture_without_user()`,
];

/**
 * References of user 0 to textures of the previous version, whose users are unknown to this
 * service. The references exist while the catalog uses the textures. Runs outside a transaction,
 * because the tables are in use. Every step can be repeated.
 */
export class ReferToTexturesWithoutUser implements MigrationInterface {
  readonly name = 'ReferToTexturesWithoutUser1795705200000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await addConstraints(runner, rules);
    // Waits for running inserts; later ones add references through the trigger
    for (const statement of statements) await runner.query(statement);
    for (let last: string | null = ''; last !== null;) {
      const [batch] = (await runner.query(
        `with batch as (select hash from textures where hash > $1 order by hash limit ${rowsAtOnce}), referred as (
           insert into texture_references (user_id, hash, check_at)
           select 0, hash, now() + interval '1 day' from batch
           where not exists (select from texture_references r where r.hash = batch.hash) order by hash
           on conflict do nothing
         ) select max(hash) as last from batch`,
        [last],
      )) as [{ last: string | null }];
      last = batch.last;
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger if exists textures_without_user on textures');
    await runner.query('drop function if exists refer_to_texture_without_user()');
    await dropConstraints(runner, rules);
  }
}
