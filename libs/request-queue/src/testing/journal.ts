import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file in which replicas note each write they have executed, in a folder of its own. */
export class Journal {
  private readonly folder = mkdtempSync(join(tmpdir(), 'journal-'));
  readonly path = join(this.folder, 'writes');

  /** Number and process of each executed write, in order. */
  writes(): { number: number; pid: number }[] {
    if (!existsSync(this.path)) return [];
    const lines = readFileSync(this.path, 'utf8').trim().split('\n').filter(Boolean);
    return lines.map((line) => {
      const [number, pid] = line.split(' ').map(Number);
      return { number: number!, pid: pid! };
    });
  }

  numbers(): number[] {
    return this.writes().map(({ number }) => number);
  }

  /** Numbers that were executed more than once. */
  repeated(): number[] {
    const numbers = this.numbers();
    return numbers.filter((number, index) => numbers.indexOf(number) !== index);
  }

  /** When the replicas have ended: they would write into it. */
  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
