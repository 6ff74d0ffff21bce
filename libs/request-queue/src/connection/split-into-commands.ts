/** Sizes of one command: enough to make coalescing pay, small enough to leave Redis to others in between. */
const maximumItems = 256;
const maximumBytes = 4 * 1024 * 1024;

/** Splits a batch into commands of bounded size, in order. */
export function splitIntoCommands<Item>(items: readonly Item[], bytes: (item: Item) => number): Item[][] {
  const commands: Item[][] = [];
  let size = 0;
  for (const item of items) {
    const last = commands.at(-1);
    size += bytes(item);
    if (last && last.length < maximumItems && size <= maximumBytes) last.push(item);
    else {
      commands.push([item]);
      size = bytes(item);
    }
  }
  return commands;
}
