import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type PrintOrder, problems, type StoredPrintFiles } from '#contracts';
import { appendEvent } from '#events';
import { DomainError } from '#kernel';
import { Database, lockedAuthor, type Tx, userDeleted } from '#persistence';
import { RenderingEnv } from '../env.js';

type MadeFiles = Pick<StoredPrintFiles, 'files' | 'ticket'> & { readonly bytes: number };

type PrintFilesRow = Omit<StoredPrintFiles, 'storedUntil'> & { readonly storedUntil: Date };

const stateOf = (row: PrintFilesRow): StoredPrintFiles => ({ ...row, storedUntil: row.storedUntil.toISOString() });

/** Time without progress after which a set is reported as failed and may be started again. */
const stalledAfter = "interval '1 hour'";

/** Unfinished sets of one user, and bytes of the finished ones. */
const maxUnfinished = 20;
const maxBytes = 2 * 1024 ** 3;

/**
 * Statement that inserts an order, or starts it again if it failed or stopped. Returns no row for
 * an existing set that is ready or is being made.
 */
const startSql = `
  with ${lockedAuthor('$2')}, kept as (
    select count(*) filter (where status in ('waiting', 'making')) as unfinished, coalesce(sum(bytes), 0) as bytes
    from print_files f where user_id = $2 and deleted_at is null
      and not exists (select 1 from productions p where p.print_files_id = f.id)
  ), started as (
    insert into print_files (order_hash, user_id, product_id, material_id, "order")
    select $1, $2, $3::bigint, $4::bigint, $5::jsonb from author, kept
    where user_exists and (not $6 or unfinished < ${maxUnfinished} and bytes < ${maxBytes}
      or exists (select 1 from print_files where order_hash = $1 and deleted_at is null))
    on conflict (order_hash) where deleted_at is null do update set status = 'waiting', progress = 0, updated_at = now()
      where print_files.status = 'failed'
        or print_files.status <> 'ready' and print_files.updated_at < now() - ${stalledAfter}
    returning id
  )
  select user_exists as "userExists", (select id from started) as id from author`;

/**
 * Table `print_files`: each distinct order once, by the hash of its content, so that repeated
 * requests share the files. A row with `deleted_at` is invisible until the sweep has deleted its
 * files.
 */
@Injectable()
export class PrintFileRepository {
  constructor(
    private readonly database: Database,
    private readonly env: RenderingEnv,
  ) {}

  /**
   * Inserts an order with its event, unless the same order exists. Starts a failed order again, and
   * one without progress for an hour. Ready files are kept for the full time again.
   *
   * @param isLimited false for files that were sold or that a printer requests, to which the limits
   *   of the owner do not apply
   * @throws DomainError user.not-found, print-files.too-many
   */
  request(order: PrintOrder, isLimited = true): Promise<StoredPrintFiles> {
    return this.database.transaction((tx) => this.requestIn(tx, order, isLimited));
  }

  /** As `request`, in a transaction that locks the row of the files until it ends. */
  async requestIn(tx: Tx, order: PrintOrder, isLimited: boolean): Promise<StoredPrintFiles> {
    const hash = createHash('sha256').update(JSON.stringify(order)).digest('hex');
    const [row] = await tx.query<{ readonly userExists: boolean; readonly id: number | null }[]>(startSql, [
      hash,
      order.userId,
      order.productId,
      order.materialId,
      JSON.stringify(order),
      isLimited,
    ]);
    if (!row!.userExists) throw userDeleted(order.userId);
    if (row!.id !== null)
      await appendEvent(tx, 'print-files.requested', { printFilesId: row!.id, userId: order.userId });
    const [[found]] = await tx.query<[PrintFilesRow[], number]>(
      `update print_files set updated_at = case when status = 'ready' then now() else updated_at end
         where order_hash = $1 and deleted_at is null returning ${this.columns}`,
      [hash],
    );
    if (!found)
      throw new DomainError(
        problems['print-files.too-many'],
        `At most ${maxUnfinished} sets of print files can wait, and 2 GB be stored; they are deleted after ${this.env.PRINT_FILES_DAYS} days.`,
      );
    return stateOf(found);
  }

  async find(productId: number, printFilesId: number): Promise<StoredPrintFiles | null> {
    const [found] = await this.database.read<PrintFilesRow>(
      `select ${this.columns} from print_files where id = $1 and product_id = $2 and deleted_at is null`,
      [printFilesId, productId],
    );
    return found ? stateOf(found) : null;
  }

  /** Returns the order of unfinished files; null if they are ready or deleted. */
  async start(printFilesId: number): Promise<PrintOrder | null> {
    const [row] = await this.database.write<{ readonly order: PrintOrder }>(
      `update print_files set status = 'making', updated_at = now()
       where id = $1 and status <> 'ready' and deleted_at is null returning "order"`,
      [printFilesId],
    );
    return row?.order ?? null;
  }

  async reportProgress(printFilesId: number, progress: number): Promise<void> {
    await this.database.write(
      `update print_files set progress = $2, updated_at = now() where id = $1 and status = 'making'`,
      [printFilesId, progress],
    );
  }

  /** Publishes all files at once. Returns false if the row was deleted meanwhile. */
  async finish(tx: Tx, printFilesId: number, { files, ticket, bytes }: MadeFiles): Promise<boolean> {
    const [, updated] = await tx.query<[unknown[], number]>(
      `update print_files set status = 'ready', progress = 100, files = $2, ticket = $3, bytes = $4, updated_at = now()
       where id = $1 and deleted_at is null`,
      [printFilesId, JSON.stringify(files), ticket, bytes],
    );
    return updated > 0;
  }

  async isReady(printFilesId: number): Promise<boolean> {
    const rows = await this.database.read(
      `select 1 from print_files where id = $1 and status = 'ready' and deleted_at is null`,
      [printFilesId],
    );
    return rows.length > 0;
  }

  async fail(tx: Tx, printFilesId: number): Promise<void> {
    await tx.query(`update print_files set status = 'failed', updated_at = now() where id = $1 and status <> 'ready'`, [
      printFilesId,
    ]);
  }

  markOfMaterial(materialId: number): Promise<unknown> {
    return this.mark('material_id = $1', materialId);
  }

  markOfUser(userId: number): Promise<unknown> {
    return this.mark('user_id = $1', userId);
  }

  /** Marks the rows that were neither requested nor changed for the given days. */
  markExpired(days: number): Promise<unknown> {
    return this.mark('updated_at < now() - make_interval(days => $1::integer)', days);
  }

  /** Returns the ids of up to 100 marked rows. */
  async marked(): Promise<number[]> {
    const rows = await this.database.read<{ readonly id: number }>(
      'select id from print_files where deleted_at is not null order by id limit 100',
    );
    return rows.map(({ id }) => id);
  }

  async deleteMarked(ids: readonly number[]): Promise<void> {
    await this.database.write('delete from print_files where id = any ($1::bigint[]) and deleted_at is not null', [
      ids,
    ]);
  }

  private mark(condition: string, value: number): Promise<unknown> {
    return this.database.write(`update print_files set deleted_at = now() where ${condition} and deleted_at is null`, [
      value,
    ]);
  }

  private get columns(): string {
    return `id, case when status in ('waiting', 'making') and updated_at < now() - ${stalledAfter} then 'failed' else status end as status,
      progress, files, ticket, "order" -> 'warnings' as warnings,
      updated_at + make_interval(days => ${this.env.PRINT_FILES_DAYS}) as "storedUntil"`;
  }
}
