import { FetchPermit } from '../fetch.limiter.js';
import type { TextureFetcher } from '../texture.fetcher.js';

/** Bytes of a fetched image and the description of the response. */
interface Fetched {
  readonly bytes: Buffer;
  readonly seen: string;
}

/** Returns a permit that no limiter revokes. */
export const createPermit = (): FetchPermit => new FetchPermit({ userId: 1, hostname: 'one.test' });

/** Fetches a whole image into memory. */
export async function fetched(
  fetcher: TextureFetcher,
  address: string,
  permit: FetchPermit = createPermit(),
): Promise<Fetched> {
  const pieces: Uint8Array[] = [];
  const save = async (image: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const piece of image) pieces.push(piece);
  };
  const seen = await fetcher.fetch(address, save, permit);
  return { bytes: Buffer.concat(pieces), seen };
}
