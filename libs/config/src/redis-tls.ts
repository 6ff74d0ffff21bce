import { readFileSync } from 'node:fs';

/**
 * Returns what ioredis needs beside a `rediss:` URL: the certificate authority in the file that `sslrootcert` names, as in
 * URLs of PostgreSQL. Without it those that Node knows are trusted.
 */
export function redisTls(url: string): { readonly tls?: { readonly ca: string } } {
  const { protocol, searchParams } = new URL(url);
  const file = searchParams.get('sslrootcert');
  return protocol === 'rediss:' && file !== null ? { tls: { ca: readFileSync(file, 'utf8') } } : {};
}
