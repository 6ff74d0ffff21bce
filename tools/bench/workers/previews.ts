import { PreviewCreateResponse } from '#contracts';
import { toLocalUrl } from '#config';
import { download } from '#demo-shop';
import type { BenchStack } from '../bench-stack.js';
import { percentile } from '../overload/figures.js';
import type { MaterialCreator } from './material-creator.js';

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Connections of a browser to one host. */
const connections = 6;

/** Milliseconds from the request until the response, the first image and all images. */
interface Times {
  readonly responded: number;
  readonly first: number;
  readonly all: number;
}

/** Requests previews of all items with a new artwork, and downloads their images. */
async function measureOnce(stack: BenchStack, texture: string): Promise<Times & { readonly count: number }> {
  const body = JSON.stringify({ texture, size: 500 });
  const headers = { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' };
  const since = performance.now();
  const response = await fetch(`${stack.localUrl}/api/v1/previews`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`POST /previews returned ${response.status}: ${await response.text()}`);
  const { previews } = PreviewCreateResponse.parse(await response.json());
  const responded = performance.now() - since;
  const times: number[] = [];
  const pending = previews.values();
  const load = async (): Promise<void> => {
    for (const { imageUrl } of pending) {
      await download(toLocalUrl(imageUrl, stack));
      times.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: connections }, load));
  return { responded, first: Math.min(...times), all: Math.max(...times), count: previews.length };
}

/** Measures the time to the previews of a new artwork `times` times, after a warm-up. */
export async function measurePreviews(times: number, stack: BenchStack, creator: MaterialCreator): Promise<void> {
  const { count } = await measureOnce(stack, await creator.nextTexture());
  const measured: Times[] = [];
  while (measured.length < times) measured.push(await measureOnce(stack, await creator.nextTexture()));
  print(`Previews of ${count} items, ${times} times:`);
  for (const what of ['responded', 'first', 'all'] as const) {
    const of = (share: number) =>
      Math.round(
        percentile(
          measured.map((each) => each[what]),
          share,
        ),
      );
    print(`  ${what.padEnd(9)} median ${of(0.5)} ms, p95 ${of(0.95)} ms`);
  }
}
