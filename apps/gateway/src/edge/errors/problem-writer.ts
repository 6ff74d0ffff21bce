import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ProblemBody } from '#kernel';
import { isOfOAuthClient, oauthError } from './oauth-error.js';

const codes = new WeakMap<FastifyReply, string>();

export const noteProblem = (reply: FastifyReply, code: string): void => void codes.set(reply, code);

/** The code of the problem that a reply carries, for the log. */
export const problemOf = (reply: FastifyReply): string | undefined => codes.get(reply);

/** Writes RFC 9457 problem documents, with `message` for older clients; to OAuth clients what their RFC says. */
export class ProblemWriter {
  /** @param baseUrl in front of the address that explains a code */
  constructor(private readonly baseUrl: string) {}

  write(reply: FastifyReply, problem: ProblemBody, headers: Readonly<Record<string, string>> = {}): void {
    noteProblem(reply, problem.code);
    // Fastify closes after every rejected body; lingering-close.ts closes only where the rest of it is large
    if (reply.raw.shouldKeepAlive) void reply.removeHeader('connection');
    const answer = this.answer(reply, problem);
    void reply.status(answer.status).headers(headers).headers(answer.headers).send(answer.text);
  }

  /** The same beside everything that answers pass otherwise: for refusals that must cost next to nothing. */
  writeAtOnce(reply: FastifyReply, problem: ProblemBody, headers: Readonly<Record<string, string>>): void {
    const { status, headers: own, text } = this.answer(reply, problem);
    const length = { 'content-length': Buffer.byteLength(text) };
    reply.hijack();
    reply.raw.writeHead(status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers, ...own, ...length });
    reply.raw.end(text);
  }

  private answer({ request }: FastifyReply, problem: ProblemBody) {
    const oauth = isOfOAuthClient(request) ? oauthError(problem) : undefined;
    return {
      status: oauth?.status ?? problem.status,
      headers: {
        ...(oauth && { 'x-content-type-options': 'nosniff' }),
        'content-type': `application/${oauth ? 'json' : 'problem+json'}; charset=utf-8`,
        'cache-control': 'no-store',
      },
      text: oauth ? JSON.stringify(oauth.body) : this.text(problem, request.id),
    };
  }

  /** The document itself. */
  text({ code, status, title, detail, errors }: ProblemBody, requestId: string): string {
    const type = `${this.baseUrl}/problems/${code}`;
    return JSON.stringify({ type, title, status, detail, code, message: detail, errors, requestId });
  }
}
