import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { requestIdOf } from '../headers/request-id.js';
import type { ProblemWriter } from '../errors/problem-writer.js';
import { overloaded, type Admission } from './admission.js';

/** Made once: an error with its stack is a tenth of the price. */
const problem = overloaded().body();

/**
 * Refuses calls of known users before a framework sees them, as far as Admission is sure already: routing, hooks and
 * reply objects are most of what a refusal costs.
 *
 * @param headers of every refusal
 */
export function rejectEarly(
  server: Server,
  admission: Admission,
  problemWriter: ProblemWriter,
  headers: Readonly<Record<string, string>>,
): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (admission.hasNoRoomFor(request)) refuse(request, response);
    else for (const listener of listeners) listener.call(server, request, response);
  });

  function refuse(request: IncomingMessage, response: ServerResponse): void {
    const requestId = requestIdOf(request);
    const text = problemWriter.text(problem, requestId);
    response.writeHead(problem.status, {
      ...headers,
      'x-request-id': requestId,
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }
}
