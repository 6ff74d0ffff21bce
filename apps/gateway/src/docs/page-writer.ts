import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { GatewayEnv } from '../env.js';
import { contentSecurityPolicy, type Page } from './pages.js';

/** Sends pages and their assets with a strict content security policy. */
@Injectable()
export class PageWriter {
  private readonly policy: string;

  constructor(env: GatewayEnv) {
    this.policy = contentSecurityPolicy(env.BASE_URL);
  }

  write(reply: FastifyReply, { etag, mediaType, bytes }: Page): void {
    void reply.headers({
      etag,
      'cache-control': 'public, max-age=300',
      'content-security-policy': this.policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    void reply.type(`${mediaType}; charset=utf-8`).send(bytes);
  }
}
