import type { FastifyReply } from 'fastify';
import { DomainError } from '#kernel';
import type { PageRenderer } from '../pages/page-renderer.js';
import type { Visit } from '../pages/visit.js';
import { troubleTexts } from './identities.texts.js';

/**
 * Tells a person what went wrong on the way to a provider and back, with the way on from there. What is no trouble of
 * that kind is thrown on.
 */
export function showTrouble(pages: PageRenderer, reply: FastifyReply, visit: Visit, error: unknown): void {
  if (!(error instanceof DomainError) || !Object.hasOwn(troubleTexts.en.titles, error.kind.code)) throw error;
  const { kind, headers, status } = error;
  void reply.headers(headers);
  pages.show(reply, visit, {
    ...{ view: 'identities/trouble', texts: troubleTexts, status, data: { code: kind.code, pagePath: '/sign-in' } },
    title: (words) => words.titles[kind.code]!,
  });
}
