import type { IncomingMessage, Server } from 'node:http';
import { largeBodyMs } from '../bodies/large-bodies.js';

/**
 * Limits the time in which the body of a request arrives. Node's `requestTimeout` is the same for
 * all requests: it would cut off large uploads on slow connections, or let small bodies take as
 * long. The error has the code of `requestTimeout`, so the client gets the same 408.
 *
 * @param timeoutMs from the end of the header section, in addition to `largeBodyMs`
 */
export function watchBodies(server: Server, timeoutMs: number): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const { headers, socket } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    const timer = setTimeout(
      () => {
        if (request.complete || socket.destroyed) return;
        server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
      },
      timeoutMs + largeBodyMs(headers),
    ).unref();
    request.once('close', () => clearTimeout(timer));
  });
}
