import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '#observability';
import { RenderingEnv } from '../env.js';
import { ProductionRepository } from '../productions/production.repository.js';
import { PrintFileRepository } from './print-file.repository.js';
import { PrintFileStore } from './print-file.store.js';

const sweepEveryMs = 600_000;

/** Deletes print files after PRINT_FILES_DAYS, and those of deleted materials and users. */
@Injectable()
export class PrintFileSweeper implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly rows: PrintFileRepository,
    private readonly store: PrintFileStore,
    private readonly productions: ProductionRepository,
    private readonly log: Log,
    private readonly env: RenderingEnv,
  ) {}

  /** Sweeps every ten minutes; the timer does not prevent the exit of the process. */
  start(): void {
    const sweep = (): void => {
      this.sweep().catch((error: unknown) =>
        this.log.warn({ err: error }, 'Sweep of print files failed, retrying in 10 min'),
      );
    };
    this.timer = setInterval(sweep, sweepEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async sweep(): Promise<void> {
    await this.rows.markExpired(this.env.PRINT_FILES_DAYS);
    await this.deleteMarked();
  }

  async deleteOfMaterial(materialId: number): Promise<void> {
    await this.rows.markOfMaterial(materialId);
    await this.deleteMarked();
  }

  /** Deletes all print files of a user who is marked as deleted. */
  async deleteAllOf(userId: number): Promise<void> {
    await this.rows.markOfUser(userId);
    await this.deleteMarked();
  }

  /** Deletes the rows after the files, so that the next sweep continues after an interruption. */
  private async deleteMarked(): Promise<void> {
    await this.productions.failDeleted();
    for (let ids = await this.rows.marked(); ids.length > 0; ids = await this.rows.marked()) {
      for (const id of ids) await this.store.deleteAll(id);
      await this.rows.deleteMarked(ids);
    }
  }
}
