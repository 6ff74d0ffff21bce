import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isEvicted, maxUsedKeys } from '#contracts';
import { QueueClients, runInCall } from '#request-queue';

const batchDelayMs = 10_000;
const timeoutMs = 5_000;

/**
 * Records the uses of images that are evicted by least recent use, and sends their keys to
 * `material-rendering` in batches: ten seconds after the first key, or at `maxUsedKeys` keys. If a
 * batch is lost, for example at shutdown, its images are evicted earlier.
 */
@Injectable()
export class ImageUseBatcher implements OnApplicationShutdown {
  private readonly keys = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly clients: QueueClients) {}

  /**
   * Records the use of a blob key. Keys of images that were rendered in advance are ignored,
   * because these images are not evicted.
   */
  record(key: string): void {
    if (!isEvicted(key)) return;
    this.keys.add(key);
    if (this.keys.size >= maxUsedKeys) this.send();
    else this.timer ??= setTimeout(() => this.send(), batchDelayMs).unref();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const keys = [...this.keys];
    this.keys.clear();
    // A separate call, to which the deadline of the current request does not apply. If the call
    // fails, the images are evicted earlier and rendered again on request
    void runInCall({ requestId: randomUUID(), timeoutMs }, () =>
      this.clients.of('material-rendering').call('images.used', { keys }),
    ).catch(() => undefined);
  }
}
