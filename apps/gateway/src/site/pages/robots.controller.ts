import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { basePathOf } from '../../edge/routing/path.js';
import { Public } from '../../edge/routing/operation.decorator.js';
import { GatewayEnv } from '../../env.js';

/** Paths of pages for one user, and of pages without content of their own. */
const disallowed = [
  ...(['account', 'activities', 'applications', 'favorites', 'language', 'materials', 'oauth', 'search'] as const),
  ...(['sign-in', 'sign-out', 'sign-up'] as const),
] as const;

/**
 * Rules of a path with and without a query, and of the paths below it. A rule is a prefix
 * (RFC 9309) unless it ends with `$`: `/account` would also exclude the user `accountant`.
 */
const rulesOf = (path: string): string[] => ['$', '?', '/'].map((end) => `Disallow: ${path}${end}`);

/**
 * Rules for crawlers. A crawler requests them at the root of a host: a base path needs a proxy
 * rule.
 */
@Controller()
export class RobotsController {
  private readonly text: string;

  constructor({ BASE_URL }: GatewayEnv) {
    const base = basePathOf(BASE_URL);
    const rules = disallowed.flatMap((path) => rulesOf(`${base}/${path}`));
    rules.push(`Disallow: ${base}/api/`);
    this.text = ['User-agent: *', ...rules, '', `Sitemap: ${BASE_URL}/sitemap.xml`, ''].join('\n');
  }

  @Public()
  @Get('robots.txt')
  show(@Res() reply: FastifyReply): void {
    void reply.header('cache-control', 'public, max-age=3600').type('text/plain; charset=utf-8').send(this.text);
  }
}
