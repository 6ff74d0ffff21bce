/**
 * Limits of one command: large enough to profit from coalescing, small enough not to block Redis.
 */
const maxItems = 256;
const maxBytes = 4 * 1024 * 1024;

/** Splits a batch into commands of bounded size, in order. */
export function splitIntoCommands<Item>(items: readonly Item[], bytes: (item: Item) => number): Item[][] {
  const commands: Item[][] = [];
  let size = 0;
  for (const item of items) {
    const last = commands.at(-1);
    size += bytes(item);
    if (last && last.length < maxItems && size <= maxBytes) last.push(item);
    else {
      commands.push([item]);
      size = bytes(item);
    }
  }
  return commands;
}
