import { type Texture, type TextureSource } from '#contracts';
import { DomainError } from '#kernel';

/** An image of a request. `path` is the JSON path of its field in the body, for errors. */
export interface WantedTexture {
  readonly path: string;
  readonly source: TextureSource;
}

/**
 * Calls material-rendering to store images, all or none. Returns the textures in the same order.
 */
type StoreTextures = (sources: TextureSource[]) => Promise<Texture[]>;

const keyOf = (source: TextureSource): string => (source.kind === 'url' ? `url ${source.url}` : `upload ${source.key}`);

/**
 * Stores all images of a request, each source once, all or none.
 *
 * @returns the textures in the order of `wanted`
 * @throws DomainError of the rejection, with the path of every field that contains a rejected
 *   source; other errors of `store` unchanged
 */
export async function storeTextures(wanted: readonly WantedTexture[], store: StoreTextures): Promise<Texture[]> {
  const sources = new Map(wanted.map(({ source }) => [keyOf(source), source]));
  const keys = [...sources.keys()];
  const stored = await store([...sources.values()]).catch((error: unknown) => {
    throw withPaths(error, keys, wanted);
  });
  const textures = new Map(keys.map((key, index) => [key, stored[index]!]));
  return wanted.map(({ source }) => textures.get(keyOf(source))!);
}

/**
 * Converts `sources.<index>` to paths of the body. Only rejections of an image have paths: an
 * overloaded material-rendering is not the client's mistake.
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
