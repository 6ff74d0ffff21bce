import { type FSWatcher, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Counts writes into a blob folder by any process: each blob is first a uniquely named temporary
 * file.
 */
export class BlobWrites {
  private readonly names = new Set<string>();
  private firstAt = 0;
  private lastAt = 0;

  private constructor(private readonly watcher: FSWatcher) {
    watcher.on('change', (_, name) => this.note(String(name)));
  }

  static async in(blobStoreUrl: string): Promise<BlobWrites> {
    const partials = join(fileURLToPath(blobStoreUrl), '.partial');
    await mkdir(partials, { recursive: true });
    return new BlobWrites(watch(partials));
  }

  get count(): number {
    return this.names.size;
  }

  /** Seconds from the start of the first write to the start of the last one. */
  get seconds(): number {
    return (this.lastAt - this.firstAt) / 1_000;
  }

  stop(): void {
    this.watcher.close();
  }

  private note(name: string): void {
    if (this.names.has(name)) return;
    this.names.add(name);
    this.lastAt = performance.now();
    this.firstAt ||= this.lastAt;
  }
}
