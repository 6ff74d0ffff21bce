import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats a check until it returns something other than undefined or false, for effects that
 * arrive through a queue.
 *
 * @throws Error with `what` in its message when `withinMs` have passed
 */
export async function eventually<R>(
  what: string,
  check: () => Promise<R | undefined | false> | R | undefined | false,
  withinMs = 60_000,
): Promise<R> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    await sleep(25);
  }
  throw new Error(`not within ${withinMs} ms: ${what}`);
}
