import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { migrate } from './migrate.js';

/** Returns a migration class with these statements. */
const migrationOf = (statements: readonly string[], transaction: boolean): new () => MigrationInterface =>
  class ChangeCups1800000000000 implements MigrationInterface {
    readonly name = 'ChangeCups1800000000000';
    readonly transaction = transaction;

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements) await runner.query(statement);
    }

    down(): Promise<void> {
      return Promise.resolve();
    }
  };

/** Every kind of statement that migrations have, on a table in use. */
const statementKinds: readonly (readonly [string, readonly string[], { readonly transaction: boolean }])[] = [
  ['add column', ['alter table cups add column color text'], { transaction: true }],
  ['drop column', ['alter table cups drop column name'], { transaction: true }],
  ['add constraint', ["alter table cups add constraint named check (name <> '') not valid"], { transaction: false }],
  ['validate constraint', ['alter table cups validate constraint sized'], { transaction: false }],
  ['drop constraint', ['alter table cups drop constraint sized'], { transaction: true }],
  ['set storage parameter', ['alter table cups set (fillfactor = 90)'], { transaction: true }],
  ['create table that refers to it', ['create table lids (cup integer references cups)'], { transaction: true }],
  ['drop table that refers to it', ['drop table saucers'], { transaction: true }],
  ['create index', ['create index cups_name on cups (name)'], { transaction: true }],
  ['create unique index', ['create unique index cups_both on cups (id, name)'], { transaction: true }],
  ['drop index', ['drop index cups_size'], { transaction: true }],
  ['drop index without a transaction', ['drop index if exists cups_size'], { transaction: false }],
  ['create index concurrently', ['create index concurrently cups_name on cups (name)'], { transaction: false }],
  ['drop index concurrently', ['drop index concurrently cups_size'], { transaction: false }],
  [
    'create trigger',
    ['create trigger on_change after update on cups for each row execute function nothing()'],
    { transaction: true },
  ],
  ['drop trigger', ['drop trigger on_insert on cups'], { transaction: true }],
  [
    'replace function',
    ["create or replace function nothing() returns trigger language plpgsql as 'begin return old; end'"],
    { transaction: true },
  ],
  ['create view', ['create view named_cups as select name from cups'], { transaction: true }],
  ['drop view', ['drop view large_cups'], { transaction: true }],
  ['grant', ['grant select on cups to storefront_catalog'], { transaction: true }],
  ['revoke', ['revoke insert on cups from storefront_social'], { transaction: true }],
  ['comment', ["comment on table cups is 'of porcelain'"], { transaction: true }],
  [
    'update, then drop column',
    ["update cups set name = 'x' where id = 2", 'alter table cups drop column name'],
    { transaction: true },
  ],
  ['drop table', ['drop table cups cascade'], { transaction: true }],
];

const tables = `
  create table social.cups (id integer primary key, size integer, name text);
  alter table social.cups add constraint sized check (size > 0) not valid;
  create table social.saucers (cup integer references social.cups);
  create index cups_size on social.cups (size);
  create function social.nothing() returns trigger language plpgsql as 'begin return new; end';
  create trigger on_insert before insert on social.cups for each row execute function social.nothing();
  create view social.large_cups as select id from social.cups where size > 9;
  grant insert on social.cups to storefront_social;
  insert into social.cups values (1, 1, 'a'), (2, 2, 'b');`;

/** Database with a table that an open transaction has read and written. */
class TableInUse {
  private constructor(
    readonly db: TestDatabase,
    readonly blocker: pg.Client,
    readonly writer: pg.Client,
  ) {}

  static async open(): Promise<TableInUse> {
    const db = await testDatabase('social');
    const [blocker, writer] = [new pg.Client(db.ownerUrl), new pg.Client(db.ownerUrl)];
    await Promise.all([blocker.connect(), writer.connect()]);
    await writer.query(tables);
    // The lock timeout of services
    await writer.query("set lock_timeout = '5s'");
    await blocker.query("set application_name = 'a backup'");
    await blocker.query('begin isolation level repeatable read; select * from social.large_cups, social.saucers');
    await blocker.query("update social.cups set name = 'c' where id = 1");
    return new TableInUse(db, blocker, writer);
  }

  /** Returns true while the migration waits for a lock. */
  async isMigrationWaiting(): Promise<boolean> {
    const { rows } = await this.writer.query(
      `select from pg_stat_activity where datname = current_database()
       and application_name like 'storefront-migrate%' and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  }

  async close(): Promise<void> {
    await Promise.all([this.blocker.end(), this.writer.end()]);
    await this.db.close();
  }
}

describe('a migration of a table with a long transaction', () => {
  it.concurrent.each(statementKinds)(
    'lets writers run and completes: %s',
    async (_name, statements, { transaction }) => {
      const used = await TableInUse.open();
      const lines: string[] = [];
      const migration = migrationOf(statements, transaction);
      const state = { isDone: false };
      const migrated = migrate({ url: used.db.ownerUrl, services: ['social'], log: (line) => lines.push(line) }, () =>
        Promise.resolve([migration]),
      ).then(() => (state.isDone = true));
      await eventually(
        'the migration waits for a lock or is done',
        async () => state.isDone || (await used.isMigrationWaiting()),
      );
      // Up to two writes succeed while the migration waits. If its statement blocks writers, each
      // write continues when the statement is cancelled; the second write waits for a retry
      for (const id of [10, 11]) {
        if (state.isDone) break;
        await eventually(
          'the migration waits for a lock',
          async () => state.isDone || (await used.isMigrationWaiting()),
        );
        await used.writer.query('insert into social.cups (id) values ($1)', [id]);
      }
      await used.blocker.query('commit');
      await migrated;
      expect(lines.at(-1)).toMatch(/^social +ChangeCups/);
      const { rows } = await used.writer.query(
        "select from pg_index where not indisvalid and indrelid = to_regclass('social.cups')",
      );
      expect(rows).toEqual([]);
      await used.close();
    },
  );

  it('fails at its deadline and names the blocking session', async () => {
    const used = await TableInUse.open();
    const lines: string[] = [];
    const migrated = migrate(
      { url: used.db.ownerUrl, services: ['social'], lockTimeoutMs: 6_000, log: (line) => lines.push(line) },
      () => Promise.resolve([migrationOf(['drop table cups cascade'], true)]),
    );
    await expect(migrated).rejects.toThrow(
      /^No lock within 6 s for: drop table cups cascade\. Blocked by: session \d+ \(a backup, in a transaction for \d+ s\)\. End/,
    );
    expect(lines).toEqual([expect.stringMatching(/^social +waiting for session \d+ \(a backup, in a transaction for/)]);
    await used.close();
  });

  it('continues after a failed run with the pending migrations', async () => {
    const used = await TableInUse.open();
    const first = class First1700000000000 implements MigrationInterface {
      readonly name = 'First1700000000000';
      up = (runner: QueryRunner): Promise<unknown> => runner.query('create table plates ()');
      down = (): Promise<void> => Promise.resolve();
    };
    const all = () => Promise.resolve([first, migrationOf(['drop table cups cascade'], true)]);
    const options = { url: used.db.ownerUrl, services: ['social'] as const, lockTimeoutMs: 100 };
    await expect(migrate(options, all)).rejects.toThrow(/^No lock/);
    await used.blocker.query('commit');
    const lines: string[] = [];
    await migrate({ ...options, log: (line) => lines.push(line) }, all);
    expect(lines).toEqual([expect.stringMatching(/^social +ChangeCups1800000000000$/)]);
    await used.close();
  });
});
