import { type FSWatcher, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Counts what is written into a blob store by whatever process: each blob begins as a file with a name of its own. */
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

  /** From the first to the last, in seconds. */
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
