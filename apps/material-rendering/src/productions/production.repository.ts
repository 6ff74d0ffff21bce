import { Injectable } from '@nestjs/common';
import { type EventPayload, type PrintOrder, productionFolder, type StoredPrintFiles } from '#contracts';
import { appendEvent, appendEvents } from '#events';
import { DomainError } from '#kernel';
import { Database, type Tx } from '#persistence';
import { PrintFileRepository } from '../print-files/print-file.repository.js';
import { productionNotFound } from './production.errors.js';

/** A production whose files are to be published. */
export interface UnfinishedProduction {
  readonly purchaseId: number;
  readonly externalId: string | null;
  readonly quantity: number;
  readonly recordedAt: Date;
  readonly folder: string;
  readonly order: PrintOrder;
  readonly printFilesId: number;
  /** Null for files that were deleted since they were made. */
  readonly files: StoredPrintFiles['files'] | null;
}

const reasonOf = (error: unknown): string => {
  const text = error instanceof DomainError ? error.detail : String((error as Error | undefined)?.message ?? error);
  return text.slice(0, 500);
};

/**
 * Table `productions`. A production shares the rows and the files of `print_files`. Transactions
 * lock the row of the files before they decide that these are ready or unfinished, so that exactly
 * one of them appends `production.files-made`.
 */
@Injectable()
export class ProductionRepository {
  constructor(
    private readonly database: Database,
    private readonly printFiles: PrintFileRepository,
  ) {}

  /** Inserts a production, and requests its files. A deleted creator has no files to print. */
  async start(tx: Tx, { order, ...purchase }: EventPayload<'production.requested'>): Promise<void> {
    const { purchaseId, externalId, quantity, recordedAt } = purchase;
    await tx.query(
      `insert into productions (purchase_id, external_id, folder, quantity, recorded_at, "order")
       values ($1, $2, $3, $4, $5, $6)`,
      [purchaseId, externalId, productionFolder(purchaseId, externalId), quantity, recordedAt, JSON.stringify(order)],
    );
    try {
      await this.request(tx, purchaseId, order);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await tx.query(`update productions set status = 'failed', reason = $2 where purchase_id = $1`, [
        purchaseId,
        reasonOf(error),
      ]);
    }
  }

  /**
   * Starts a production again: makes its files if they are missing or failed, and publishes them.
   *
   * @throws DomainError production.not-found, user.not-found if the creator was deleted
   */
  retry(purchaseId: number): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [found] = await tx.query<{ readonly order: PrintOrder }[]>(
        'select "order" from productions where purchase_id = $1',
        [purchaseId],
      );
      if (!found) throw productionNotFound(purchaseId);
      await this.request(tx, purchaseId, found.order);
    });
  }

  private async request(tx: Tx, purchaseId: number, order: PrintOrder): Promise<void> {
    const { id, status } = await this.printFiles.requestIn(tx, order, false);
    await tx.query(
      `update productions set print_files_id = $2, status = 'waiting', reason = null, updated_at = now()
       where purchase_id = $1`,
      [purchaseId, id],
    );
    if (status === 'ready') await appendEvent(tx, 'production.files-made', { purchaseId });
  }

  /** Appends the event of each production that waits for files, whose row the transaction locks. */
  async filesMade(tx: Tx, printFilesId: number): Promise<void> {
    const waiting = await tx.query<{ readonly purchaseId: number }[]>(
      `select purchase_id as "purchaseId" from productions where print_files_id = $1 and status <> 'ready'
       order by purchase_id`,
      [printFilesId],
    );
    await appendEvents(tx, 'production.files-made', waiting);
  }

  /**
   * Records why an attempt to make files failed.
   *
   * @param isFinal true if no attempt follows: then the files are failed, too
   */
  async filesFailed(printFilesId: number, error: unknown, isFinal: boolean): Promise<void> {
    await this.database.transaction(async (tx) => {
      // First, because it locks the row: a production that starts later finds failed files
      if (isFinal) await this.printFiles.fail(tx, printFilesId);
      await tx.query(
        `update productions set status = 'failed', reason = $2, updated_at = now()
         where print_files_id = $1 and status <> 'ready'`,
        [printFilesId, reasonOf(error)],
      );
    });
  }

  /** Fails the productions whose files were deleted before they were published. */
  async failDeleted(): Promise<void> {
    await this.database.write(
      `update productions p set status = 'failed', reason = $1, updated_at = now()
       from print_files f where f.id = p.print_files_id and f.deleted_at is not null and p.status = 'waiting'`,
      ['The print files were deleted with their material or user before they were published.'],
    );
  }

  /** Returns an unfinished production; undefined for others. */
  async unfinished(purchaseId: number): Promise<UnfinishedProduction | undefined> {
    const [found] = await this.database.query<UnfinishedProduction>(
      `select purchase_id as "purchaseId", external_id as "externalId", quantity, recorded_at as "recordedAt", folder,
         p."order", print_files_id as "printFilesId", f.files
       from productions p
       left join print_files f on f.id = p.print_files_id and f.status = 'ready' and f.deleted_at is null
       where purchase_id = $1 and p.status <> 'ready'`,
      [purchaseId],
    );
    return found;
  }

  /** Marks a production as published, unless it was started again with other files. */
  async finish(tx: Tx, { purchaseId, printFilesId }: UnfinishedProduction): Promise<void> {
    await tx.query(
      `update productions set status = 'ready', reason = null, updated_at = now()
       where purchase_id = $1 and print_files_id = $2`,
      [purchaseId, printFilesId],
    );
  }

  async fail(purchaseId: number, error: unknown): Promise<void> {
    await this.database.write(
      `update productions set status = 'failed', reason = $2, updated_at = now()
       where purchase_id = $1 and status <> 'ready'`,
      [purchaseId, reasonOf(error)],
    );
  }
}
