import { problems, type Texture, type TextureSource } from '#contracts';
import { DomainError } from '#kernel';
import { storeTextures } from './texture-intake.rules.js';

const url = (name: string): TextureSource => ({ kind: 'url', url: `https://example.com/${name}.png` });
const nameOf = (source: TextureSource): string => (source.kind === 'url' ? source.url.slice(20, -4) : source.key);
const texture = (name: string): Texture => ({
  hash: name,
  format: 'png',
  width: 1,
  height: 1,
  bytes: 1,
  dominantRgb: null,
});
const wanted = (...names: string[]) => names.map((name, index) => ({ path: `body.${index}`, source: url(name) }));

describe('storeTextures', () => {
  it('returns textures in the given order, and stores each source once in one call', async () => {
    const calls: string[][] = [];
    const stored = await storeTextures(wanted('a', 'b', 'a', 'c', 'b'), (sources) => {
      calls.push(sources.map(nameOf));
      return Promise.resolve(sources.map((source) => texture(nameOf(source))));
    });
    expect(stored.map(({ hash }) => hash)).toEqual(['a', 'b', 'a', 'c', 'b']);
    expect(calls).toEqual([['a', 'b', 'c']]);
  });

  it('rejects with each path of a rejected source, the first one in the detail', async () => {
    const rejection = new DomainError(problems['texture.not-decoded'], 'no image', [
      { path: 'sources.1', message: 'no image' },
      { path: 'sources.2', message: 'too small' },
    ]);
    const textures = storeTextures(wanted('a', 'bad', 'bad', 'worse', 'a'), () => Promise.reject(rejection));
    await expect(textures).rejects.toMatchObject({
      kind: problems['texture.not-decoded'],
      detail: 'body.1: no image',
      errors: [
        { path: 'body.1', message: 'no image' },
        { path: 'body.2', message: 'no image' },
        { path: 'body.3', message: 'too small' },
      ],
    });
  });

  it('rethrows errors that are not caused by the client', async () => {
    const overloaded = new DomainError(problems['service.overloaded'], 'later', undefined, { 'retry-after': '1' });
    await expect(storeTextures(wanted('a'), () => Promise.reject(overloaded))).rejects.toBe(overloaded);
  });
});
