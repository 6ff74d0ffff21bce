import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, problems } from '#contracts';
import { DomainError } from '#kernel';
import { httpMetrics } from '../observability/http-metrics.js';
import type { LingeringClose } from '../connections/lingering-close.js';
import type { ProblemWriter } from './problem-writer.js';

const refusals: Readonly<Record<string, readonly [Problem, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [problems['request.headers-too-large'], 'Send fewer or shorter headers, or a shorter address.'],
  ERR_HTTP_REQUEST_TIMEOUT: [problems['request.timed-out'], 'The request did not arrive in time.'],
};
const otherwise = [
  problems['request.invalid'],
  'This is not HTTP; an address may hold ASCII only, percent-encode the rest.',
] as const;

/**
 * Where an answer to an earlier request is under way, these bytes would end up in it. None is, as long as the body of the
 * very request that the connection answers next has not come: what could not be read is that body.
 */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: next } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (!next) return false;
  return next.headersSent || next.req.complete;
}

/**
 * Responds to what Node could not read as a request: there is none, and so no route, hook or reply. The connection is closed.
 * There is no response where the connection itself has failed: below a broken TLS it would wait for ever.
 *
 * @param error of Node; its code is the reason
 */
export function answerUnreadable(
  problemWriter: ProblemWriter,
  error: NodeJS.ErrnoException,
  socket: Socket,
  lingering: LingeringClose,
): void {
  const isOfHttp = /^(?:HPE_|ERR_HTTP_)/.test(error.code ?? '');
  if (isOfHttp && lingering.hasBegun(socket)) return;
  if (isOfHttp) httpMetrics().refused.inc({ reason: 'unreadable' });
  if (!isOfHttp || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [kind, detail] = refusals[error.code ?? ''] ?? otherwise;
  lingering.close(socket, refusal(problemWriter, kind, detail));
}

/** What is said to HTTP on a connection that should be HTTPS. */
export const refusalOfPlainHttp = (problemWriter: ProblemWriter): string =>
  refusal(problemWriter, problems['request.invalid'], 'HTTPS is spoken here: the address begins with https://.');

/** An answer as it goes over the wire. */
function refusal(problemWriter: ProblemWriter, kind: Problem, detail: string): string {
  const requestId = randomUUID();
  const body = problemWriter.text(new DomainError(kind, detail).body(), requestId);
  const head = [
    `HTTP/1.1 ${kind.status} ${kind.status === 400 ? 'Bad Request' : 'Refused'}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
