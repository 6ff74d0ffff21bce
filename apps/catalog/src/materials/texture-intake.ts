import { type Texture, type TextureSource } from '#contracts';
import { DomainError } from '#kernel';

/** A picture that a request names. `path` says where, for errors. */
export interface WantedTexture {
  readonly path: string;
  readonly source: TextureSource;
}

/** Stores one picture and describes it; somebody else's network call. */
export type TakeTexture = (source: TextureSource) => Promise<Texture>;

/** How many pictures of one request are on their way at a time: others wait for the same renderers. */
const inFlight = 4;

const keyOf = (source: TextureSource): string => (source.kind === 'url' ? `url ${source.url}` : `upload ${source.key}`);

/**
 * Takes in all pictures of a request, each source once, a few at a time. After a refusal no further one is started,
 * and those under way are waited for, so that nothing happens behind the answer's back.
 *
 * @returns the texture of each wanted one, in order
 * @throws DomainError the refusal, with every path that names the refused source
 */
export async function takeTextures(wanted: readonly WantedTexture[], take: TakeTexture): Promise<Texture[]> {
  const sources = new Map(wanted.map(({ source }) => [keyOf(source), source]));
  const taken = new Map<string, Texture>();
  const failures: unknown[] = [];
  const waiting = sources.entries();
  const work = async (): Promise<void> => {
    // One iterator shared by all workers: each takes the next source that nobody has
    for (const [key, source] of waiting) {
      try {
        taken.set(key, await take(source));
      } catch (error) {
        failures.push(withPaths(error, key, wanted));
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, sources.size) }, work));
  if (failures.length > 0) throw failures[0];
  return wanted.map(({ source }) => taken.get(keyOf(source))!);
}

/** Only what is wrong with the picture itself gets a path: an overloaded renderer is not the client's mistake. */
function withPaths(error: unknown, key: string, wanted: readonly WantedTexture[]): unknown {
  if (!(error instanceof DomainError) || error.status !== 422) return error;
  const paths = wanted.filter(({ source }) => keyOf(source) === key).map(({ path }) => path);
  const errors = paths.map((path) => ({ path, message: error.detail }));
  return new DomainError(error.kind, error.detail, errors, error.headers);
}
