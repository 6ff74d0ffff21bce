import { parseArgs } from 'node:util';

/** Minutes under load in which processes fill caches and pools, before memory is compared. */
export const warmUpMinutes = 5;

export interface SoakArguments {
  readonly minutes: number;
  /** Requests per second. */
  readonly rate: number;
  /** Output folder of the plots (SVG) and of the measured values (`figures.json`). */
  readonly out: string;
}

export const help = `Usage: npm run soak -- --minutes 30 [--rate 20] [--out .data/soak]

Runs two replicas of every app under a steady mixed load whose data does not grow. Samples memory, handles, sockets and
threads of each process and the connections of the servers every five seconds. After ${warmUpMinutes} minutes and at the end the load
pauses for some seconds, and usage after a full garbage collection is compared. Prints a table, writes plots and figures
into the folder, and exits with 1 when memory or handles have grown or data was lost.`;

/** Parses the arguments. Returns undefined for --help. @throws Error with a one-line message */
export function readArguments(words: readonly string[]): SoakArguments | undefined {
  const { values } = parseArgs({
    args: [...words],
    options: {
      minutes: { type: 'string' },
      rate: { type: 'string', default: '20' },
      out: { type: 'string', default: '.data/soak' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
  if (!(minutes > warmUpMinutes)) throw new Error(`--minutes needs a number above ${warmUpMinutes}, the warm-up.`);
  if (!(rate > 0)) throw new Error('--rate needs a number above 0.');
  return { minutes, rate, out: values.out };
}
