import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/**
 * Handles a request before the framework does.
 *
 * @param handle has the framework handle the request, for a handler that decides later
 * @returns false if the framework must handle the request
 */
export type EarlyHandler = (request: IncomingMessage, response: ServerResponse, handle: () => void) => boolean;

/** Installs handlers before the framework; the first one that returns true handles the request. */
export function handleBeforeFramework(server: Server, handlers: readonly EarlyHandler[]): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const handle = (): void => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    if (!handlers.some((handler) => handler(request, response, handle))) handle();
  });
}
