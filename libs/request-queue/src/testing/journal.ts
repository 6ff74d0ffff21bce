import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file in which replicas note each write they have executed. */
export class Journal {
  readonly path = join(mkdtempSync(join(tmpdir(), 'journal-')), 'writes');

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
}
