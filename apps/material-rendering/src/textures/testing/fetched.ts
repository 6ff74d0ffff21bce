import type { TextureFetcher } from '../texture.fetcher.js';

/** What a fetcher hands over, and what it says of it. */
export interface Fetched {
  readonly bytes: Buffer;
  readonly seen: string;
}

/** The whole picture of an address. */
export async function fetched(fetcher: TextureFetcher, address: string): Promise<Fetched> {
  const pieces: Uint8Array[] = [];
  const seen = await fetcher.fetch(address, async (picture) => {
    for await (const piece of picture) pieces.push(piece);
  });
  return { bytes: Buffer.concat(pieces), seen };
}
