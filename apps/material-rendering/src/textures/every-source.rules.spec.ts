import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { everySource } from './every-source.rules.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const refusal = (name: string) => new DomainError(problems['texture.not-decoded'], `${name} is no image`);

describe('every source', () => {
  it('is tried, four at a time at most, and answered in order', async () => {
    let now = 0;
    let most = 0;
    const results = await everySource(Array.from('abcdefghij'), async (name) => {
      most = Math.max(most, (now += 1));
      for (let turns = name === 'a' ? 9 : 1; turns > 0; turns -= 1) await turn();
      now -= 1;
      return name.toUpperCase();
    });
    expect(most).toBe(4);
    expect(results.join('')).toBe('ABCDEFGHIJ');
  });

  it('is tried although another one is refused, and one refusal names all refused ones in order', async () => {
    const tried: string[] = [];
    const refused = everySource(Array.from('abcdefgh'), async (name) => {
      for (let turns = name === 'b' ? 9 : 1; turns > 0; turns -= 1) await turn();
      tried.push(name);
      if ('bcg'.includes(name)) throw refusal(name);
    });
    await expect(refused).rejects.toMatchObject({
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

  it('is not started after a failure that is no refusal, which comes as it is when those under way have ended', async () => {
    const overloaded = new DomainError(problems['service.overloaded'], 'later');
    const ended: string[] = [];
    const failed = everySource(Array.from('abcdefgh'), async (name) => {
      await turn();
      if (name === 'a') throw refusal(name);
      if (name === 'b') throw overloaded;
      await turn();
      ended.push(name);
    });
    await expect(failed).rejects.toBe(overloaded);
    // `e` took the place of `a`, which was refused before `b` failed
    expect(ended).toEqual(['c', 'd', 'e']);
  });
});
