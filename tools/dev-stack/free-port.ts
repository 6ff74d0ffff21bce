import { createServer } from 'node:net';

function listenOnce(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.unref();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(address !== null && typeof address === 'object' ? address.port : undefined);
      });
    });
  });
}

/** True when nobody listens on the TCP port of this address now. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await listenOnce(port, host)) !== undefined;
}

/** One of those that systems do not hand out by themselves: nobody gets it before its program listens. */
export const uncommonPort = (): number => 10_000 + Math.floor(Math.random() * 20_000);

/**
 * A TCP port of 127.0.0.1 that is free now: the preferred one when it is, else one the system chooses. Somebody else may
 * take it before it is used, so a server that cannot bind asks again.
 */
export async function freePort(preferred?: number): Promise<number> {
  const port = (preferred && (await listenOnce(preferred, '127.0.0.1'))) || (await listenOnce(0, '127.0.0.1'));
  if (port === undefined) throw new Error('no free TCP port on 127.0.0.1');
  return port;
}
