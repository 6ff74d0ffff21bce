import sharp from 'sharp';
import type { QueueClients } from '#request-queue';
import { Storefront } from '#demo-shop';

/** Callers and objects of the load. */
export interface LoadShop {
  readonly tokens: readonly string[];
  readonly products: readonly number[];
  readonly materials: readonly number[];
  /** Paths of images that are not rendered yet. */
  readonly images: readonly string[];
}

/** Creates users and products with small images. */
export async function createShop(origin: string, clients: QueueClients, users: number): Promise<LoadShop> {
  const tokens: string[] = [];
  for (let n = 1; n <= users; n++) {
    const user = { name: `caller-${n}`, email: `caller-${n}@example.com`, displayName: null };
    tokens.push(
      (await clients.of('accounts').call('users.create', { ...user, password: `a long password ${n}` })).apiKey,
    );
  }
  const creator = new Storefront(origin, tokens[0]!);
  const items = (await creator.items()).filter(({ name }) => ['t-shirt', 'mug', 'sticker'].includes(name));
  const products: number[] = [];
  const materials: number[] = [];
  const images: string[] = [];
  for (let n = 1; n <= 40; n++) {
    const texture = `data:image/png;base64,${(await createTexture(n)).toString('base64')}`;
    const wanted = items.map(({ id }) => ({ itemId: id, published: true }));
    const made = await creator.createMaterial({ texture, title: `Material ${n}`, price: 100, products: wanted });
    materials.push(made.material.id);
    products.push(...made.products.map(({ id }) => id));
    images.push(...made.products.flatMap(({ sampleImageUrls }) => sampleImageUrls.flatMap(pathsInOtherSizes)));
  }
  return { tokens, products, materials, images };
}

const createTexture = (n: number): Promise<Buffer> =>
  sharp({ create: { width: 40, height: 40, channels: 3, background: { r: n, g: 40, b: 60 } } })
    .png()
    .toBuffer();

/** Returns the paths of an image in three sizes and three formats, each rendered separately. */
function pathsInOtherSizes(url: string): string[] {
  const { pathname, search } = new URL(url);
  return ['323x323', '765x765', '1024x1024'].flatMap((size) =>
    ['jpg', 'png', 'webp'].map((format) => {
      const path = pathname.replace(/^\/images\/v1\/\d{1,4}x\d{1,4}/, `/images/v1/${size}`);
      return `${path.slice(0, path.lastIndexOf('.') + 1)}${format}${search}`;
    }),
  );
}

const serializeRequest = (method: string, path: string, token: string, body?: string): string =>
  [
    `${method} /api/v1${path} HTTP/1.1`,
    'Host: shop',
    `Authorization: Bearer ${token}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    '',
    body ?? '',
  ].join('\r\n');

/** Returns a typical mix: 80 % reads (list, products, materials, items), 20 % favorites. */
export function typicalMix({ tokens, products, materials }: LoadShop, count = 2_000): string[] {
  return Array.from({ length: count }, (_, n) => {
    // Deterministic, so that runs send the same requests
    const one = <T>(list: readonly T[]): T => list[(n * 7_919) % list.length]!;
    const token = tokens[n % tokens.length]!;
    const kind = (n * 37) % 100;
    if (kind < 40) return serializeRequest('GET', '/products?limit=20', token);
    if (kind < 65) return serializeRequest('GET', `/products/${one(products)}`, token);
    if (kind < 75) return serializeRequest('GET', `/materials/${one(materials)}`, token);
    if (kind < 80) return serializeRequest('GET', '/items', token);
    return serializeRequest('POST', `/products/${one(products)}/favorites`, token, '{"count":1}');
  });
}

/**
 * Returns one request per server, which creates a material from a texture of that server, with
 * users in rotation.
 */
export const slowMaterials = ({ tokens }: LoadShop, hosts: readonly string[]): string[] =>
  hosts.map((host, n) => {
    const body = JSON.stringify({ texture: `http://${host}/slow.png`, title: 'Slow' });
    return serializeRequest('POST', '/materials', tokens[n % tokens.length]!, body);
  });

/** Returns one request per image, as the first view of a page sends them. */
export const unrenderedImages = ({ images }: LoadShop): string[] =>
  images.map((path) => [`GET ${path} HTTP/1.1`, 'Host: shop', '', ''].join('\r\n'));
