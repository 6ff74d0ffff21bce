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
const encrypted = rsa.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });
const read = (cert: string, key: string) => () => readKeyPair({ TLS_CERT_FILE: file(cert), TLS_KEY_FILE: file(key) });

describe('a certificate and its key', () => {
  it('are read with the chain', () => {
    const chain = good.cert + other.cert;
    expect(read(chain, good.key)()).toMatchObject({
      cert: chain,
      key: good.key,
      validTo: expect.stringMatching(/GMT$/) as string,
    });
  });

  it.each([
    ['no certificate', 'nonsense', good.key, /^TLS_CERT_FILE contains no certificate in PEM$/],
    ['no key', good.cert, 'nonsense', /^TLS_KEY_FILE contains no private key in PEM without a passphrase$/],
    ['neither', '', '', /^TLS_CERT_FILE contains no .*; TLS_KEY_FILE contains no /],
    ['the certificate instead of the key', good.cert, good.cert, /^TLS_KEY_FILE contains no private key/],
    ['an encrypted key', good.cert, encrypted, /^TLS_KEY_FILE contains no .* without a passphrase$/],
    ['the key of another certificate', good.cert, other.key, /^TLS_KEY_FILE does not match the certificate$/],
    ['a key of another type', good.cert, rsa.export({ type: 'pkcs8', format: 'pem' }), /^TLS_KEY_FILE does not match/],
    ['a truncated chain', good.cert + other.cert.slice(0, 200), good.key, /^TLS_CERT_FILE cannot be used/],
  ])('are rejected, naming the invalid file: %s', (_, cert, key, message) => {
    expect(read(cert, String(key))).toThrow(message);
  });

  it('are named if they cannot be read, without their content', () => {
    const absent = { TLS_CERT_FILE: join(folder, 'absent'), TLS_KEY_FILE: folder };
    expect(() => readKeyPair(absent)).toThrow(
      'TLS_CERT_FILE cannot be read (ENOENT); TLS_KEY_FILE cannot be read (EISDIR)',
    );
    expect(read(good.cert, good.key.slice(0, -60))).not.toThrow(/BEGIN|[A-Za-z\d+/]{16}/);
  });
});

describe('the settings of a gateway', () => {
  const required = {
    BASE_URL: 'https://shop.example.com',
    REDIS_REQUESTS_URL: 'redis://x',
    BLOB_STORE_URL: 'file:///blobs',
    IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
  };
  const start = (environment: Record<string, string>) => () => readEnvironment(Env, environment);

  it('require both files or neither, and treat the values as paths', () => {
    const both = { TLS_CERT_FILE: file(good.cert), TLS_KEY_FILE: file(good.key) };
    expect(start({ ...required, ...both })()).toMatchObject(both);
    expect(start(required)()).not.toHaveProperty('TLS_CERT_FILE');
    const [one, two] = Object.entries(both).map((entry) => Object.fromEntries([entry]));
    expect(start({ ...required, ...one })).toThrow('TLS_KEY_FILE: must be set together with the other one');
    expect(start({ ...required, ...two })).toThrow('TLS_CERT_FILE: must be set together with the other one');
  });

  it('require both S3 keys or neither', () => {
    expect(start({ ...required, AWS_ACCESS_KEY_ID: 'x' })).toThrow('AWS_SECRET_ACCESS_KEY: is missing');
  });

  it('report invalid files together with other errors', () => {
    const invalid = { TLS_CERT_FILE: file(good.cert), TLS_KEY_FILE: file(other.key), PORT: 'eighty' };
    expect(start({ ...required, ...invalid })).toThrow(/PORT: [^]*TLS_KEY_FILE: does not match the certificate/);
  });
});
