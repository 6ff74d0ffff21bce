import { problems, type Texture } from '#contracts';
import { DomainError } from '#kernel';

/** The textures of a request that are more than its user may have. */
export class TextureQuotaExceeded extends DomainError {
  constructor(
    /** Hashes of those that do not fit any more. */
    readonly hashes: readonly string[],
    detail: string,
  ) {
    super(problems['texture.quota-exceeded'], detail);
  }
}

/**
 * Checks textures that are new for a user, in their order. One that the user has already costs nothing.
 *
 * @param usedBytes by the textures that the user has already
 * @throws TextureQuotaExceeded with those by which the sum exceeds the quota
 */
export function checkQuota(quotaBytes: number, usedBytes: number, added: readonly Texture[]): void {
  let sum = usedBytes;
  const excess: string[] = [];
  for (const { hash, bytes } of added) {
    sum += bytes;
    if (sum > quotaBytes) excess.push(hash);
  }
  if (excess.length === 0) return;
  throw new TextureQuotaExceeded(
    excess,
    `the quota of images is exceeded: ${usedBytes} of ${quotaBytes} bytes are used, and ${sum - usedBytes} more are ` +
      'needed; the image of a deleted material is counted for up to 20 minutes',
  );
}
