import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '#config';
import { testCertificate } from '#testing';
import { Env } from '../../env.js';
import { readKeyPair } from './key-pair.js';

const folder = mkdtempSync(join(tmpdir(), 'key-pair-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: string): string {
  const path = join(folder, `${(files += 1)}.pem`);
  writeFileSync(path, content);
  return path;
}

const good = testCertificate('localhost');
const other = testCertificate('localhost');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const locked = rsa.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });
const read = (cert: string, key: string) => () => readKeyPair({ TLS_CERT_FILE: file(cert), TLS_KEY_FILE: file(key) });

describe('a certificate and its key', () => {
  it('are read as they are, with the chain', () => {
    const chain = good.cert + other.cert;
    expect(read(chain, good.key)()).toMatchObject({
      cert: chain,
      key: good.key,
      validTo: expect.stringMatching(/GMT$/) as string,
    });
  });

  it.each([
    ['no certificate', 'nonsense', good.key, /^TLS_CERT_FILE holds no certificate in PEM$/],
    ['no key', good.cert, 'nonsense', /^TLS_KEY_FILE holds no private key in PEM without a passphrase$/],
    ['neither', '', '', /^TLS_CERT_FILE holds no .*; TLS_KEY_FILE holds no /],
    ['the certificate in place of the key', good.cert, good.cert, /^TLS_KEY_FILE holds no private key/],
    ['a key that is locked', good.cert, locked, /^TLS_KEY_FILE holds no .* without a passphrase$/],
    ['the key of another', good.cert, other.key, /^TLS_KEY_FILE does not belong to the certificate$/],
    ['a key of another kind', good.cert, rsa.export({ type: 'pkcs8', format: 'pem' }), /^TLS_KEY_FILE does not belong/],
    ['a chain that breaks off', good.cert + other.cert.slice(0, 200), good.key, /^TLS_CERT_FILE cannot be served/],
  ])('are refused, with the file that is wrong: %s', (_, cert, key, message) => {
    expect(read(cert, String(key))).toThrow(message);
  });

  it('that cannot be read are named, both, and never what is in them', () => {
    const absent = { TLS_CERT_FILE: join(folder, 'absent'), TLS_KEY_FILE: folder };
    expect(() => readKeyPair(absent)).toThrow(
      'TLS_CERT_FILE cannot be read (ENOENT); TLS_KEY_FILE cannot be read (EISDIR)',
    );
    expect(read(good.cert, good.key.slice(0, -60))).not.toThrow(/BEGIN|[A-Za-z\d+/]{16}/);
  });
});

describe('the settings of a gateway', () => {
  const needed = {
    BASE_URL: 'https://shop.example.com',
    REDIS_REQUESTS_URL: 'redis://x',
    BLOB_STORE_URL: 'file:///blobs',
    IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
  };
  const start = (environment: Record<string, string>) => () => readEnvironment(Env, environment);

  it('have both files or neither: their names are paths, and no text is taken from them', () => {
    const both = { TLS_CERT_FILE: file(good.cert), TLS_KEY_FILE: file(good.key) };
    expect(start({ ...needed, ...both })()).toMatchObject(both);
    expect(start(needed)()).not.toHaveProperty('TLS_CERT_FILE');
    const [one, two] = Object.entries(both).map((entry) => Object.fromEntries([entry]));
    expect(start({ ...needed, ...one })).toThrow('TLS_KEY_FILE: is missing beside the other one');
    expect(start({ ...needed, ...two })).toThrow('TLS_CERT_FILE: is missing beside the other one');
  });

  it('have both keys of a bucket or neither', () => {
    expect(start({ ...needed, AWS_ACCESS_KEY_ID: 'x' })).toThrow('AWS_SECRET_ACCESS_KEY: is missing');
  });

  it('are wrong when the files are, beside all else that is wrong', () => {
    const wrong = { TLS_CERT_FILE: file(good.cert), TLS_KEY_FILE: file(other.key), PORT: 'eighty' };
    expect(start({ ...needed, ...wrong })).toThrow(/PORT: [^]*TLS_KEY_FILE: does not belong to the certificate/);
  });
});
