import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/**
 * A certificate and its private key as PEM, and its subject name and key for issuing certificates.
 */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly name: Buffer;
  readonly privateKey: KeyObject;
}

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const octets = (part: Buffer): Buffer => der(0x04, part);
const time = (date: Date): Buffer => der(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/\D/g, '')}Z`));

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));
const dayMs = 86_400_000;

/**
 * Creates a certificate for localhost and 127.0.0.1 that is valid from yesterday until tomorrow
 * (RFC 5280). Node can read certificates, not write them.
 *
 * @param issuer that signs it; self-signed when absent
 * @param isCa may issue other certificates; not with `rsa`
 * @param rsa uses an RSA key instead of the elliptic curve P-256; needs an `issuer` with P-256
 */
export function testCertificate(
  commonName: string,
  { issuer, isCa = false, rsa = false }: { issuer?: TestCertificate; isCa?: boolean; rsa?: boolean } = {},
): TestCertificate {
  const { publicKey, privateKey } = rsa
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from(commonName)))));
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    sequence(identifier('551d13'), octets(isCa ? sequence(der(0x01, Buffer.from([0xff]))) : sequence())),
    sequence(identifier('551d11'), octets(names)),
  );
  const statement = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    ecdsaWithSha256,
    issuer?.name ?? name,
    sequence(time(new Date(Date.now() - dayMs)), time(new Date(Date.now() + dayMs))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', statement, issuer?.privateKey ?? privateKey));
  const base64 = sequence(statement, ecdsaWithSha256, signature).toString('base64');
  const cert = `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), name, privateKey };
}
