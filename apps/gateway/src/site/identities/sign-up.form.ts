import type { FastifyReply } from 'fastify';
import type { Refused } from '../pages/form.js';
import type { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { signUpFormTexts } from './identities.texts.js';

interface SignUpFormView {
  readonly provider: string;
  readonly label: string;
  /** What proves the identity: for a hidden field, never for an address. */
  readonly ticket: string | undefined;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly refused?: Refused;
}

/** The form in which somebody who comes from a provider for the first time chooses a name. */
export function showSignUpForm(
  pages: PageRenderer,
  reply: FastifyReply,
  visit: PageContext,
  view: SignUpFormView,
): void {
  const { provider, label, ticket, name, email, refused } = view;
  // Not the address of the callback, which has a code in it that is spent
  const pagePath = `/sign-up/with/${provider}`;
  const data = { provider, label, ticket, name, email, pagePath };
  pages.show(reply, visit, {
    view: 'identities/newcomer',
    texts: signUpFormTexts,
    refused,
    data,
    title: (words) => words.title,
  });
}
