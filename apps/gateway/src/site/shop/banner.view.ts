import type { Banner } from '#contracts';
import type { GatewayEnv } from '../../env.js';

/**
 * Returns the image URLs of the banners that pages can show: those on the origin of this site or of
 * its CDN. The Content-Security-Policy forbids images of other hosts, so that no other host learns
 * who visits the shop.
 */
export function bannerImages(
  banners: readonly Banner[],
  { BASE_URL, IMAGES_CDN_URL }: Pick<GatewayEnv, 'BASE_URL' | 'IMAGES_CDN_URL'>,
): string[] {
  const origins = [BASE_URL, IMAGES_CDN_URL].flatMap((url) => (url === undefined ? [] : new URL(url).origin));
  return banners.map(({ imageUrl }) => imageUrl).filter((url) => origins.includes(new URL(url).origin));
}
