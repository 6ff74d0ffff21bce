import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isEvicted, maxUsedKeys } from '#contracts';
import { QueueClients, runInCall } from '#request-queue';

const batchIntervalMs = 10_000;
const timeoutMs = 5_000;

/**
 * Batches the last uses of images that are evicted by least recent use, and sends them to
 * `material-rendering` ten seconds after the first of a batch. A lost batch only makes its images
 * seem older.
 */
@Injectable()
export class ImageUses implements OnApplicationShutdown {
  private readonly keys = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly clients: QueueClients) {}

  /**
   * Records the use of a key of the blob store. Keys of prepared images are ignored, because they
   * are not evicted.
   */
  record(key: string): void {
    if (!isEvicted(key)) return;
    this.keys.add(key);
    if (this.keys.size >= maxUsedKeys) this.send();
    else this.timer ??= setTimeout(() => this.send(), batchIntervalMs).unref();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const keys = [...this.keys];
    this.keys.clear();
    // A separate call, because the deadline of the last request does not apply. If it fails, the
    // images are evicted earlier and rendered again on request
    void runInCall({ requestId: randomUUID(), timeoutMs }, () =>
      this.clients.of('material-rendering').call('images.used', { keys }),
    ).catch(() => undefined);
  }
}
