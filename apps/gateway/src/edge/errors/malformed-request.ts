import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, problems } from '#contracts';
import { DomainError } from '#kernel';
import { httpMetrics } from '../observability/http-metrics.js';
import type { LingeringClose } from '../connections/lingering-close.js';
import type { ProblemWriter } from './problem-writer.js';

const errorsByCode: Readonly<Record<string, readonly [Problem, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [problems['request.headers-too-large'], 'Send fewer or shorter headers, or a shorter URL.'],
  ERR_HTTP_REQUEST_TIMEOUT: [problems['request.timed-out'], 'The request did not arrive in time.'],
};
const malformed = [
  problems['request.invalid'],
  'Malformed HTTP. A request target must be ASCII; percent-encode other characters.',
] as const;

/**
 * Returns whether a response to an earlier request is pending or being sent, which an error
 * response would corrupt. Not if that request is incomplete and its response has not started: then
 * the malformed data is its body.
 */
function isResponding(socket: Socket): boolean {
  const { _httpMessage: next } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (!next) return false;
  return next.headersSent || next.req.complete;
}

/**
 * Responds to malformed HTTP, for which there is no request, route or hook, and closes the
 * connection. After a connection error there is no response, because after a TLS error the response
 * would wait without end.
 *
 * @param error Node.js error, whose code is the reason
 */
export function respondToMalformed(
  problemWriter: ProblemWriter,
  error: NodeJS.ErrnoException,
  socket: Socket,
  lingering: LingeringClose,
): void {
  const isOfHttp = /^(?:HPE_|ERR_HTTP_)/.test(error.code ?? '');
  if (isOfHttp && lingering.hasBegun(socket)) return;
  if (isOfHttp) httpMetrics().rejected.inc({ reason: 'malformed' });
  if (!isOfHttp || !socket.writable || isResponding(socket)) {
    socket.destroy();
    return;
  }
  const [kind, detail] = errorsByCode[error.code ?? ''] ?? malformed;
  lingering.close(socket, errorResponse(problemWriter, kind, detail));
}

/** Response to plain HTTP on an HTTPS port. */
export const plainHttpResponse = (problemWriter: ProblemWriter): string =>
  errorResponse(
    problemWriter,
    problems['request.invalid'],
    'This port serves HTTPS: use a URL that starts with https://.',
  );

/** Serializes an error response. */
function errorResponse(problemWriter: ProblemWriter, kind: Problem, detail: string): string {
  const requestId = randomUUID();
  const body = problemWriter.text(new DomainError(kind, detail).body(), requestId);
  const head = [
    `HTTP/1.1 ${kind.status} ${STATUS_CODES[kind.status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
