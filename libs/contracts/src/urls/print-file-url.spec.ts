import { parsePrintFilePath, printFilePath, printFileUrl } from './print-file-url.js';

const secret = 'a secret that is long enough for a key';
const address = { printFilesId: 7, name: `${'ab'.repeat(32)}.pdf`, expires: 1_795_860_000 };
const url = new URL(printFileUrl('https://shop.example.com', address, secret));
const parse = (changes: { path?: string; expires?: string; h?: string } = {}, of = secret) =>
  parsePrintFilePath(
    changes.path ?? url.pathname.slice(printFilePath.length + 1),
    { ...Object.fromEntries(url.searchParams), ...changes },
    of,
  );

describe('the URL of a print file', () => {
  it('contains file, expiry and signature', () => {
    expect(url.pathname).toBe(`/images/v1/print-files/7/${address.name}`);
    expect(parse()).toEqual(address);
  });

  it.each([
    [{ path: `8/${address.name}` }],
    [{ path: `7/${'cd'.repeat(32)}.pdf` }],
    [{ path: `7/${'ab'.repeat(32)}.png` }],
    [{ path: `7/../${address.name}` }],
    [{ path: `7/making-front.pdf` }],
    [{ expires: '1795860001' }],
    [{ expires: '1e99' }],
    [{ h: 'x' }],
  ])('is rejected after a change: %j', (changes) => {
    expect(parse(changes)).toBeNull();
  });

  it('is rejected with another secret', () => {
    expect(parse({}, 'another secret that is long enough')).toBeNull();
  });
});
