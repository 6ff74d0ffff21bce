import { createServer } from 'node:net';

/** Returns whether a TCP port of an address is free now. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.unref();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

/** Returns a random port below the ephemeral range. */
const randomPort = (): number => 10_000 + Math.floor(Math.random() * 20_000);

const attempts = 100;

/**
 * Returns a free TCP port of 127.0.0.1: the preferred one if free, otherwise one below the
 * ephemeral range, which no outgoing connection gets, so that a server can bind it again after a
 * restart. Concurrent callers may get the same port: retry if it cannot be bound.
 */
export async function freePort(preferred = 0): Promise<number> {
  if (preferred !== 0 && (await isPortFree(preferred))) return preferred;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const port = randomPort();
    if (await isPortFree(port)) return port;
  }
  throw new Error('no free TCP port on 127.0.0.1');
}
