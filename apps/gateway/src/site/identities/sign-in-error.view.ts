import type { FastifyReply } from 'fastify';
import { DomainError } from '#kernel';
import type { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { signInErrorTexts } from './identities.texts.js';

/**
 * Tells a person what went wrong on the way to a provider and back, with the way on from there. What is no trouble of
 * that kind is thrown on.
 */
export function showSignInError(pages: PageRenderer, reply: FastifyReply, visit: PageContext, error: unknown): void {
  if (!(error instanceof DomainError) || !Object.hasOwn(signInErrorTexts.en.titles, error.kind.code)) throw error;
  const { kind, headers, status } = error;
  void reply.headers(headers);
  pages.show(reply, visit, {
    view: 'identities/trouble',
    texts: signInErrorTexts,
    status,
    data: { code: kind.code, pagePath: '/sign-in' },
    title: (words) => words.titles[kind.code]!,
  });
}
