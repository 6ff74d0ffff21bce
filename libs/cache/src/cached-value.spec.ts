import { CachedValue } from './cached-value.js';

const valueOf = (load: () => Promise<number>): CachedValue<number> =>
  new CachedValue({ name: 'items', bytesOf: () => 8, load });

describe('CachedValue', () => {
  it('is loaded once for all callers', async () => {
    let loads = 0;
    const value = valueOf(() => Promise.resolve(++loads));
    expect(await Promise.all([value.current(), value.current()])).toEqual([1, 1]);
    expect(await value.current()).toBe(1);
  });

  it('is loaded again after an invalidation and after a failed load', async () => {
    const loads = [() => 1, () => Promise.reject(new Error('load failed')), () => 3];
    const value = valueOf(async () => loads.shift()!());
    expect(await value.current()).toBe(1);
    value.invalidate();
    await expect(value.current()).rejects.toThrow('load failed');
    expect(await value.current()).toBe(3);
  });

  it('does not cache a load that was in flight when it was invalidated', async () => {
    let end!: () => void;
    const loads = [() => new Promise<number>((resolve) => (end = () => resolve(1))), () => Promise.resolve(2)];
    const value = valueOf(() => loads.shift()!());
    const early = value.current();
    value.invalidate();
    const late = value.current();
    end();
    expect([await early, await late, await value.current()]).toEqual([1, 2, 2]);
  });
});
