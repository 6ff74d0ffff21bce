import { createHash, randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { printFileKey, printFileUrl } from '#contracts';
import { type BlobStore, openBlobStore } from '#storage';
import { GatewayStack } from '../testing/gateway-stack.js';

const secret = 'a secret that is long enough for a key';
const bytes = randomBytes(200_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');

let stack: GatewayStack;
let origin: string;
let blobs: BlobStore;

beforeAll(async () => {
  stack = await GatewayStack.start({});
  origin = await stack.gateway();
  blobs = openBlobStore(pathToFileURL(stack.folder).href);
});
afterAll(() => stack.close());

const now = (): number => Math.floor(Date.now() / 1_000);
const get = async (extension: string, change: { printFilesId?: number; expires?: number } = {}, key = secret) => {
  const name = `${sha256}.${extension}`;
  const url = printFileUrl(origin, { printFilesId: 7, name, expires: now() + 60, ...change }, key);
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
};
const codeOf = ({ body }: { readonly body: Buffer }) => (JSON.parse(body.toString()) as { code: string }).code;

describe('a print file', () => {
  it.each([
    ['png', 'image/png'],
    ['tif', 'image/tiff'],
    ['pdf', 'application/pdf'],
    ['json', 'application/json; charset=utf-8'],
  ])('is sent as a download: .%s', async (extension, type) => {
    await blobs.put(printFileKey({ printFilesId: 7, name: `${sha256}.${extension}` }), bytes);
    const { status, headers, body } = await get(extension);
    // JSON is compressed
    const length = extension === 'json' ? null : '200000';
    expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([200, type, length]);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${sha256}.${extension}"`);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(body.equals(bytes)).toBe(true);
  });

  it('is 410 after its expiry, 404 when it is deleted or the signature is wrong', async () => {
    const outcome = async (change: object, key = secret) => {
      const response = await get('pdf', change, key);
      return [response.status, codeOf(response)];
    };
    expect(await outcome({ expires: now() - 1 })).toEqual([410, 'print-files.expired']);
    expect(await outcome({ printFilesId: 8 })).toEqual([404, 'print-files.not-found']);
    expect(await outcome({}, 'another secret that is long enough')).toEqual([404, 'print-files.not-found']);
  });
});
