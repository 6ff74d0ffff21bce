import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, problems } from '#contracts';
import { DomainError } from '#kernel';
import { httpMetrics } from './http-metrics.js';
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

const refused = new WeakSet<Socket>();
const discard = (): void => undefined;

/**
 * What a client still sends is thrown away: unread, it would reset the connection, and the answer would be lost. Nor may a
 * request that came too late be carried out after all.
 */
function readNoMore(socket: Socket): void {
  // First: a listener takes the connection from Node's parser, which reads it without this event
  socket.on('data', discard);
  for (const listener of socket.listeners('data')) if (listener !== discard) socket.off('data', listener as () => void);
}

/**
 * Answers what Node could not read as a request: there is none, and so no route, hook or reply. The connection ends. Where the
 * connection itself has failed nothing can be said: below a broken TLS an answer would wait for ever.
 *
 * @param error what Node says; its code tells the reason
 * @param farewellMs what the client has to read the answer
 */
export function answerUnreadable(
  problemWriter: ProblemWriter,
  error: NodeJS.ErrnoException,
  socket: Socket,
  farewellMs: number,
): void {
  const isOfHttp = /^(?:HPE_|ERR_HTTP_)/.test(error.code ?? '');
  if (isOfHttp && refused.has(socket)) return;
  if (isOfHttp) httpMetrics().refused.inc({ reason: 'unreadable' });
  if (!isOfHttp || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [kind, detail] = refusals[error.code ?? ''] ?? otherwise;
  socket.end(refusal(problemWriter, kind, detail));
  refused.add(socket);
  readNoMore(socket);
  const timer = setTimeout(() => socket.destroy(), farewellMs).unref();
  socket.once('close', () => clearTimeout(timer));
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
