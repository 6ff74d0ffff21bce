import { type Texture, type TextureSource } from '#contracts';
import { DomainError } from '#kernel';

/** An image that a request names. `path` says where, for errors. */
export interface WantedTexture {
  readonly path: string;
  readonly source: TextureSource;
}

/** Stores distinct images, all or none, and describes them in order; somebody else's network call. */
type TakeTextures = (sources: TextureSource[]) => Promise<Texture[]>;

const keyOf = (source: TextureSource): string => (source.kind === 'url' ? `url ${source.url}` : `upload ${source.key}`);

/**
 * Takes in all images of a request, each source once, all or none.
 *
 * @returns the texture of each wanted one, in order
 * @throws DomainError the refusal, with every path that names a refused source
 */
export async function takeTextures(wanted: readonly WantedTexture[], take: TakeTextures): Promise<Texture[]> {
  const sources = new Map(wanted.map(({ source }) => [keyOf(source), source]));
  const keys = [...sources.keys()];
  const taken = await take([...sources.values()]).catch((error: unknown) => {
    throw withPaths(error, keys, wanted);
  });
  const textures = new Map(keys.map((key, index) => [key, taken[index]!]));
  return wanted.map(({ source }) => textures.get(keyOf(source))!);
}

/**
 * Turns `sources.<index>` into the paths of the body. Only what is wrong with an image itself has a path: an overloaded
 * renderer is not the client's mistake.
 */
function withPaths(error: unknown, keys: readonly string[], wanted: readonly WantedTexture[]): unknown {
  if (!(error instanceof DomainError) || error.status !== 422) return error;
  const errors = (error.errors ?? []).flatMap(({ path: sourcePath, message }) => {
    const key = keys[Number(/^sources\.(\d+)$/.exec(sourcePath)?.[1])];
    return wanted.filter(({ source }) => keyOf(source) === key).map(({ path }) => ({ path, message }));
  });
  const [first] = errors;
  if (first === undefined) return error;
  return new DomainError(error.kind, `${first.path}: ${error.detail}`, errors, error.headers);
}
