import { FetchPermit } from '../fetch.limiter.js';
import type { TextureFetcher } from '../texture.fetcher.js';

/** What a fetcher hands over, and what it says of it. */
interface Fetched {
  readonly bytes: Buffer;
  readonly seen: string;
}

/** The permit of a fetch that is not given up. */
export const createPermit = (): FetchPermit => new FetchPermit({ userId: 1, hostname: 'one.test' });

/** The whole image of an address. */
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
