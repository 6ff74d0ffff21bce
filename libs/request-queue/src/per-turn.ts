/** Sizes of one command: enough to make coalescing pay, small enough to leave Redis to others in between. */
const maximumItems = 256;
const maximumBytes = 4 * 1024 * 1024;

/** Cuts what one event-loop turn has gathered into commands of bounded size, in order. */
export function inCommands<Item>(items: readonly Item[], bytes: (item: Item) => number): Item[][] {
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

/**
 * Gathers what is added during one turn of the event loop and hands it over at its end, per key. One command for many
 * requests is what makes the queue fast: measured 35 -> 10 microseconds of CPU per request at 64 callers.
 */
export class PerTurn<Item> {
  private gathered = new Map<string, Item[]>();

  constructor(private readonly flush: (key: string, items: Item[]) => void) {}

  add(key: string, item: Item): void {
    const items = this.gathered.get(key);
    if (items) {
      items.push(item);
      return;
    }
    if (this.gathered.size === 0) setImmediate(() => this.flushAll());
    this.gathered.set(key, [item]);
  }

  flushAll(): void {
    const all = this.gathered;
    this.gathered = new Map();
    for (const [key, items] of all) this.flush(key, items);
  }
}
