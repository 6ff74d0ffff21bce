import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply } from 'fastify';
import type { Server } from 'node:http';
import { nextOffsetHeader } from '#contracts';
import type { ProblemBody } from '#kernel';
import type { QueueReply } from '#request-queue';
import { setSource } from '../cached-responses/cached-responses.js';
import { sendCached } from './compression.js';
import type { LingeringClose } from '../connections/lingering-close.js';
import { nextPageLink } from '../headers/next-page.js';
import type { ProblemWriter } from '../errors/problem-writer.js';

const isQueueReply = (value: unknown): value is QueueReply =>
  typeof value === 'object' && value !== null && Buffer.isBuffer((value as { body?: unknown }).body);

/**
 * Nest's Fastify adapter that sends serialized service replies: status, headers and bytes are not
 * parsed. Only problem documents are parsed, to add the request id.
 */
export class EdgeAdapter extends FastifyAdapter {
  /**
   * All routes of the server, including those of plugins, in the form `GET /health/live`. HEAD is
   * recorded as GET.
   */
  readonly routes = new Set<string>();

  constructor(
    options: FastifyHttpOptions<Server>,
    private readonly baseUrl: string,
    private readonly problems: ProblemWriter,
    readonly lingering: LingeringClose,
  ) {
    super(options);
    this.getInstance<FastifyInstance>().addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) this.routes.add(`${name === 'HEAD' ? 'GET' : name} ${url}`);
    });
  }

  override reply(...[response, body, statusCode]: Parameters<FastifyAdapter['reply']>) {
    if (!isQueueReply(body)) return super.reply(response, body, statusCode);
    this.pass(response as FastifyReply, body);
    return response as FastifyReply;
  }

  private pass(reply: FastifyReply, { status, headers, body, isProblem, cached, reusable }: QueueReply): void {
    if (isProblem) {
      this.problems.write(reply, JSON.parse(body.toString()) as ProblemBody, headers);
      return;
    }
    const { [nextOffsetHeader]: nextOffset, ...others } = headers;
    void reply.headers(others);
    const link = nextOffset === undefined ? undefined : nextPageLink(reply.request, nextOffset, this.baseUrl);
    if (link !== undefined) void reply.header('link', link);
    if (status === 204) void reply.status(204).send();
    else if (cached) {
      if (reusable) setSource(reply, { reply: reusable, cached });
      void reply.status(status).header('content-type', 'application/json; charset=utf-8');
      sendCached(reply, cached).catch((error: unknown) => reply.send(error));
    } else void reply.status(status).header('content-type', 'application/json; charset=utf-8').send(body);
  }
}
