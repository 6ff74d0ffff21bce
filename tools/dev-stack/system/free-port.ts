import { createServer } from 'node:net';

/** True when nobody listens on the TCP port of this address now. */
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

/** One of those that systems do not hand out by themselves. */
const uncommonPort = (): number => 10_000 + Math.floor(Math.random() * 20_000);

const attempts = 100;

/**
 * A TCP port of 127.0.0.1 that is free now: the preferred one when it is, else one that no connection of anybody gets, so
 * that a server can come back to it. Whoever chooses like this may choose the same, so a server that cannot bind asks
 * again.
 */
export async function freePort(preferred = 0): Promise<number> {
  if (preferred !== 0 && (await isPortFree(preferred))) return preferred;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const port = uncommonPort();
    if (await isPortFree(port)) return port;
  }
  throw new Error('no free TCP port on 127.0.0.1');
}
