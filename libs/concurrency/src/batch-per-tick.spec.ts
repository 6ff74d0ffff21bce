import { BatchPerTick } from './batch-per-tick.js';

describe('BatchPerTick', () => {
  it('flushes one batch for each key and tick, in order', async () => {
    const flushed: [string, number[]][] = [];
    const batches = new BatchPerTick<number>((key, batch) => flushed.push([key, batch]));
    batches.add('a', 1);
    batches.add('b', 2);
    await Promise.resolve();
    batches.add('a', 3);
    await new Promise(setImmediate);
    batches.add('a', 4);
    await new Promise(setImmediate);
    expect(flushed).toEqual([
      ['a', [1, 3]],
      ['b', [2]],
      ['a', [4]],
    ]);
  });
});
