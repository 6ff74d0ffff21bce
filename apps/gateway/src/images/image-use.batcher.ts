import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isEvicted, usesAtMost } from '#contracts';
import { QueueClients, runInCall } from '#request-queue';

const sendEveryMs = 10_000;
const timeoutMs = 5_000;

/**
 * Images that were read from the blob store, of those that are deleted when they are the least recently used ones: sent to
 * `material-rendering` together, ten seconds after the first of them. One that gets lost makes its image older than it is.
 */
@Injectable()
export class ImageUses implements OnApplicationShutdown {
  private readonly keys = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly clients: QueueClients) {}

  /** Notes a key of the blob store; that of a prepared image has no effect. */
  note(key: string): void {
    if (!isEvicted(key)) return;
    this.keys.add(key);
    if (this.keys.size >= usesAtMost) this.send();
    else this.timer ??= setTimeout(() => this.send(), sendEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const keys = [...this.keys];
    this.keys.clear();
    // In a call of its own: the request that was the last one has its own deadline. When it fails, these images are deleted
    // earlier, and drawn again by the next request
    void runInCall({ requestId: randomUUID(), timeoutMs }, () =>
      this.clients.of('material-rendering').call('images.used', { keys }),
    ).catch(() => undefined);
  }
}
