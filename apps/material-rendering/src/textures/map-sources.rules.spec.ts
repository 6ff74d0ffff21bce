import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { mapSources } from './map-sources.rules.js';

const nextTick = () => new Promise((resolve) => setImmediate(resolve));
const rejection = (name: string) => new DomainError(problems['texture.not-decoded'], `${name} is no image`);

describe('mapSources', () => {
  it('processes at most four sources at a time and returns the results in order', async () => {
    let now = 0;
    let most = 0;
    const results = await mapSources(Array.from('abcdefghij'), async (name) => {
      most = Math.max(most, (now += 1));
      for (let ticks = name === 'a' ? 9 : 1; ticks > 0; ticks -= 1) await nextTick();
      now -= 1;
      return name.toUpperCase();
    });
    expect(most).toBe(4);
    expect(results.join('')).toBe('ABCDEFGHIJ');
  });

  it('processes the other sources after a rejection, and one error lists all rejected ones in order', async () => {
    const tried: string[] = [];
    const rejected = mapSources(Array.from('abcdefgh'), async (name) => {
      for (let ticks = name === 'b' ? 9 : 1; ticks > 0; ticks -= 1) await nextTick();
      tried.push(name);
      if ('bcg'.includes(name)) throw rejection(name);
    });
    await expect(rejected).rejects.toMatchObject({
      kind: problems['texture.not-decoded'],
      detail: 'b is no image',
      errors: [
        { path: 'sources.1', message: 'b is no image' },
        { path: 'sources.2', message: 'c is no image' },
        { path: 'sources.6', message: 'g is no image' },
      ],
    });
    expect(tried.toSorted().join('')).toBe('abcdefgh');
  });

  it('starts no source after another failure, and throws it unchanged when the running ones have ended', async () => {
    const overloaded = new DomainError(problems['service.overloaded'], 'later');
    const ended: string[] = [];
    const failed = mapSources(Array.from('abcdefgh'), async (name) => {
      await nextTick();
      if (name === 'a') throw rejection(name);
      if (name === 'b') throw overloaded;
      await nextTick();
      ended.push(name);
    });
    await expect(failed).rejects.toBe(overloaded);
    // `e` started in place of `a`, which was rejected before `b` failed
    expect(ended).toEqual(['c', 'd', 'e']);
  });
});
