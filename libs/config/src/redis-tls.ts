import { readFileSync } from 'node:fs';

/**
 * Returns the options that ioredis needs beside a `rediss:` URL: the certificate authority in the
 * file that `sslrootcert` names, as in URLs of PostgreSQL. Without `sslrootcert`, ioredis trusts
 * the root certificates of Node.
 */
export function redisTls(url: string): { readonly tls?: { readonly ca: string } } {
  const { protocol, searchParams } = new URL(url);
  const file = searchParams.get('sslrootcert');
  return protocol === 'rediss:' && file !== null ? { tls: { ca: readFileSync(file, 'utf8') } } : {};
}
