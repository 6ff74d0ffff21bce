import type { FastifyReply } from 'fastify';
import type { ProblemBody } from '#kernel';

const codes = new WeakMap<FastifyReply, string>();

/** The code of the problem that a reply carries, for the log. */
export const problemOf = (reply: FastifyReply): string | undefined => codes.get(reply);

/** Writes RFC 9457 problem documents, with `message` for older clients. */
export class ProblemWriter {
  /** @param baseUrl in front of the address that explains a code */
  constructor(private readonly baseUrl: string) {}

  write(reply: FastifyReply, problem: ProblemBody, headers: Readonly<Record<string, string>> = {}): void {
    const { code, status, title, detail, errors } = problem;
    const type = `${this.baseUrl}/problems/${code}`;
    const requestId = reply.request.id;
    codes.set(reply, code);
    void reply
      .status(status)
      .headers(headers)
      .header('content-type', 'application/problem+json; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(JSON.stringify({ type, title, status, detail, code, message: detail, errors, requestId }));
  }
}
