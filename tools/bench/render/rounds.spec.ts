import { runRounds, rotated, type Work } from './rounds.js';

describe('the rounds of a benchmark', () => {
  it('follow a warm-up, and each starts with another contender', async () => {
    const order: string[] = [];
    const work = (name: string): Work => ({
      images: 2,
      run: () => {
        order.push(name);
        return Promise.resolve();
      },
    });
    const pair = { name: 'pair', contenders: { ours: work('a'), floor: work('b') } };
    const results = await runRounds([pair], 2, (round) => order.push(`round ${round}`));
    expect(order).toEqual(['round 0', 'a', 'b', 'round 1', 'b', 'a', 'round 2', 'a', 'b']);
    expect(results.get(pair)?.ours).toHaveLength(2);
    expect(results.get(pair)?.floor).toHaveLength(2);
  });

  it('measure the cost per image, without preparation', async () => {
    const burn = (ms: number): Promise<void> => {
      for (const end = performance.now() + ms; performance.now() < end;);
      return Promise.resolve();
    };
    const work = { images: 4, prepare: () => burn(400), run: () => burn(40) };
    const one = { name: 'one', contenders: { ours: work } };
    const [sample] = (await runRounds([one], 1, () => undefined)).get(one)!.ours!;
    expect(sample!.wallMs).toBeGreaterThan(9.9);
    expect(sample!.cpuMs).toBeLessThan(100);
  });
});

describe('a rotated list', () => {
  it('starts at the offset and wraps around', () => {
    expect(rotated([1, 2, 3], 4)).toEqual([2, 3, 1]);
    expect(rotated([1], 7)).toEqual([1]);
  });
});
