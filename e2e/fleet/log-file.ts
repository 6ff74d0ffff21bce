import { createWriteStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Output } from '../../tools/dev-stack/terminal/console.js';

/** Log file of all processes; each line is prefixed with the name of its process. */
export class LogFile {
  /** Size in bytes before the fleet wrote anything. */
  readonly from: number;
  private readonly stream;

  constructor(readonly path: string) {
    this.from = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    this.stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  }

  /** Returns an output that writes the lines of a process. @param onLine called with each line */
  of(name: string, onLine: (line: string) => void = () => undefined): Output {
    const write = (line: string) => this.stream.write(`${name} ${line}\n`);
    return {
      show: (stream) => {
        createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
          write(line);
          onLine(line);
        });
      },
      print: write,
    };
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.stream.end(resolve));
  }
}
