import { createHash } from 'node:crypto';
import { PrintFilesResponse } from '#contracts';
import { eventually } from '#testing';
import { api, itemsByName, newMaterial, newUser, smallArtwork, type User } from '../support/shop.js';

let owner: User;
let productId: number;
let materialId: number;
let itemId: number;

beforeAll(async () => {
  owner = await newUser();
  const items = await itemsByName(owner.apiKey);
  const texture = await smallArtwork;
  itemId = items['mug'].id;
  const product = {
    itemId,
    placement: { scale: 0.5, rotation: 30 },
    published: true,
  };
  const { material, products } = await newMaterial(owner, { texture, products: [product] });
  materialId = material.id;
  productId = products[0].id;
});

const send = async (method: string, path: string, body?: object) => {
  const response = await api(method, path, { token: owner.apiKey, ...(body && { body }) });
  return { status: response.status, ...PrintFilesResponse.strict().parse(response.body) };
};

/** Requests print files and waits until they are ready. */
async function make(body: object) {
  const { status, printFiles } = await send('POST', `/products/${productId}/print-files`, body);
  expect(status).toBe(202);
  return eventually('the print files', async () => {
    const read = await send('GET', `/products/${productId}/print-files/${printFiles.id}`);
    expect(read.printFiles.status).not.toBe('failed');
    return read.printFiles.status === 'ready' && read.printFiles;
  });
}

async function download(url: string) {
  const response = await fetch(url);
  return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
}
const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('print files', () => {
  it.each([
    ['png', 'image/png', '89504e47'],
    ['tiff', 'image/tiff', '49492a00'],
    ['pdf', 'application/pdf', '25504446'],
  ] as const)('in %s are made, and named by their hash', async (format, mediaType, start) => {
    const { files, ticketUrl } = await make({ format });
    expect(files).toMatchObject([{ format }]);
    const { type, bytes } = await download(files[0]!.url);
    expect([type, bytes.toString('hex', 0, 4), sha256Of(bytes)]).toEqual([mediaType, start, files[0]!.sha256]);
    const ticket = JSON.parse((await download(ticketUrl!)).bytes.toString());
    expect(ticket).toMatchObject({ product: { id: productId }, files: [{ sha256: files[0]!.sha256 }] });
  });

  it('are the same set for the same product and request, another after a change', async () => {
    const [first, again] = [await make({}), await make({})];
    expect(again.id).toBe(first.id);
    expect(again.files.map(({ sha256 }) => sha256)).toEqual(first.files.map(({ sha256 }) => sha256));
    const products = [{ itemId, placement: { scale: 0.4 } }];
    const { status } = await api('PUT', `/materials/${materialId}`, { token: owner.apiKey, body: { products } });
    expect(status).toBe(200);
    const changed = await make({});
    expect(changed.id).not.toBe(first.id);
    expect(changed.files[0]!.sha256).not.toBe(first.files[0]!.sha256);
  });
});
