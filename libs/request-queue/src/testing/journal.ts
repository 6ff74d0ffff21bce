import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** File, in a separate folder, to which replicas append each executed write. */
export class Journal {
  private readonly folder = mkdtempSync(join(tmpdir(), 'journal-'));
  readonly path = join(this.folder, 'writes');

  /** Returns number and process of each executed write, in order. */
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

  /** Returns the numbers that were executed more than once. */
  repeated(): number[] {
    const numbers = this.numbers();
    return numbers.filter((number, index) => numbers.indexOf(number) !== index);
  }

  /** Deletes the folder. Call it after the replicas have ended, because they write to it. */
  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
