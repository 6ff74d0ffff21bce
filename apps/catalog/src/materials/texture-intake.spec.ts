import { problems, type Texture, type TextureSource } from '#contracts';
import { DomainError } from '#kernel';
import { takeTextures } from './texture-intake.js';

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
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the textures of a request', () => {
  it('come in the order in which they were named, each source taken once', async () => {
    const asked: string[] = [];
    const taken = await takeTextures(wanted('a', 'b', 'a', 'c', 'b'), (source) => {
      asked.push(nameOf(source));
      return Promise.resolve(texture(nameOf(source)));
    });
    expect(taken.map(({ hash }) => hash)).toEqual(['a', 'b', 'a', 'c', 'b']);
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  it('are taken four at a time at most', async () => {
    let now = 0;
    let most = 0;
    await takeTextures(wanted('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'), async (source) => {
      most = Math.max(most, (now += 1));
      await turn();
      now -= 1;
      return texture(nameOf(source));
    });
    expect(most).toBe(4);
  });

  it('stop at a refusal, which names every path of the refused one, after those under way have ended', async () => {
    const ended: string[] = [];
    const refused = takeTextures(wanted('a', 'bad', 'bad', 'c', 'd', 'e', 'f'), async (source) => {
      await turn();
      if (nameOf(source) === 'bad') throw new DomainError(problems['texture.not-decoded'], 'not a picture');
      await turn();
      ended.push(nameOf(source));
      return texture(nameOf(source));
    });
    await expect(refused).rejects.toMatchObject({
      kind: { code: 'texture.not-decoded' },
      errors: [
        { path: 'body.1', message: 'not a picture' },
        { path: 'body.2', message: 'not a picture' },
      ],
    });
    expect(ended).toEqual(['a', 'c', 'd']);
  });

  it('pass on what is no mistake of the client as it is', async () => {
    const overloaded = new DomainError(problems['service.overloaded'], 'later', undefined, { 'retry-after': '1' });
    await expect(takeTextures(wanted('a'), () => Promise.reject(overloaded))).rejects.toBe(overloaded);
  });
});
