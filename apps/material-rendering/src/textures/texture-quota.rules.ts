import { problems, type Texture } from '#contracts';
import { DomainError } from '#kernel';

/** Error for a request whose textures exceed the quota of its user. */
export class TextureQuotaExceeded extends DomainError {
  constructor(
    /** Hashes of the textures that exceed the quota. */
    readonly hashes: readonly string[],
    detail: string,
  ) {
    super(problems['texture.quota-exceeded'], detail);
  }
}

/**
 * Checks the quota for textures that are new for a user, in their order. Callers omit the textures
 * that the user already has: they do not count again.
 *
 * @param usedBytes bytes of the textures that the user already has
 * @throws TextureQuotaExceeded with the hashes of the first texture beyond the quota and of all
 *   after it
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
