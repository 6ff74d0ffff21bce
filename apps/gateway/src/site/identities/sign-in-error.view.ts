import type { FastifyReply } from 'fastify';
import { DomainError } from '#kernel';
import type { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { signInErrorTexts } from './identities.texts.js';

/**
 * Shows the page for a failed sign-in through a provider. Rethrows errors for which that page has
 * no text.
 */
export function showSignInError(pages: PageRenderer, reply: FastifyReply, context: PageContext, error: unknown): void {
  if (!(error instanceof DomainError) || !Object.hasOwn(signInErrorTexts.en.titles, error.kind.code)) throw error;
  const { kind, headers, status } = error;
  void reply.headers(headers);
  pages.show(reply, context, {
    view: 'identities/sign-in-error',
    texts: signInErrorTexts,
    status,
    data: { code: kind.code, pagePath: '/sign-in' },
    title: (words) => words.titles[kind.code]!,
  });
}
