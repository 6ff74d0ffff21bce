import type { FastifyReply } from 'fastify';
import type { FormRejection } from '../pages/form.js';
import type { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { identitySignUpTexts } from './identities.texts.js';

interface SignUpFormView {
  readonly provider: string;
  readonly label: string;
  /** Proof of the identity, for a hidden field. It must not appear in an address. */
  readonly ticket: string | undefined;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly rejection?: FormRejection;
}

/** Shows the form in which a new user of a provider chooses a user name. */
export function showSignUpForm(
  pages: PageRenderer,
  reply: FastifyReply,
  context: PageContext,
  view: SignUpFormView,
): void {
  const { provider, label, ticket, name, email, rejection } = view;
  // The address of the callback contains an authorization code that is already used
  const pagePath = `/sign-up/with/${provider}`;
  const data = { provider, label, ticket, name, email, pagePath };
  pages.show(reply, context, {
    view: 'identities/sign-up',
    texts: identitySignUpTexts,
    rejection,
    data,
    title: (words) => words.title,
  });
}
