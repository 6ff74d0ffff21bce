import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ProblemBody } from '#kernel';
import { isOfOAuthClient, oauthError } from './oauth-error.js';

const codes = new WeakMap<FastifyReply, string>();

export const setProblemCode = (reply: FastifyReply, code: string): void => void codes.set(reply, code);

/** Returns the problem code of a response, for the log. */
export const problemCodeOf = (reply: FastifyReply): string | undefined => codes.get(reply);

/**
 * Writes RFC 9457 problem documents, with `message` for older clients, and OAuth errors for OAuth
 * clients.
 */
export class ProblemWriter {
  /** @param baseUrl prefix of the URL of a problem type */
  constructor(private readonly baseUrl: string) {}

  write(reply: FastifyReply, problem: ProblemBody, headers: Readonly<Record<string, string>> = {}): void {
    setProblemCode(reply, problem.code);
    // Fastify sets `Connection: close` for every rejected body. The header is needed only if the
    // rest of the body is large, for which lingering-close.ts clears `shouldKeepAlive`
    if (reply.raw.shouldKeepAlive) void reply.removeHeader('connection');
    const response = this.respond(reply, problem);
    void reply.status(response.status).headers(headers).headers(response.headers).send(response.text);
  }

  /**
   * Writes a problem directly to the Node.js response, without `onSend` hooks, for cheap
   * rejections.
   */
  writeDirectly(reply: FastifyReply, problem: ProblemBody, headers: Readonly<Record<string, string>>): void {
    const { status, headers: own, text } = this.respond(reply, problem);
    const length = { 'content-length': Buffer.byteLength(text) };
    reply.hijack();
    reply.raw.writeHead(status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers, ...own, ...length });
    reply.raw.end(text);
  }

  private respond({ request }: FastifyReply, problem: ProblemBody) {
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

  /** Returns the problem document. */
  text({ code, status, title, detail, errors }: ProblemBody, requestId: string): string {
    const type = `${this.baseUrl}/problems/${code}`;
    return JSON.stringify({ type, title, status, detail, code, message: detail, errors, requestId });
  }
}
