import type { Language } from '#contracts';
import { mailTexts } from './mail.texts.js';

/** Purposes of links, with the page that a link opens and its lifetime from the request. */
export const linkPurposes = {
  'password-reset': { path: '/account/recovery/password', lifetimeHours: 1 },
  'email-confirmation': { path: '/account/email/confirmation', lifetimeHours: 24 },
} as const satisfies Record<string, { readonly path: string; readonly lifetimeHours: number }>;
export type LinkPurpose = keyof typeof linkPurposes;

/** Plain text of a mail. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

interface Link {
  readonly purpose: LinkPurpose;
  readonly token: string;
  readonly userName: string;
  readonly language: Language;
}

/** Returns the mail with a link, in the language of the page whose request caused the mail. */
export function linkMail(baseUrl: string, { purpose, token, userName, language }: Link): MailText {
  const { greeting, links } = mailTexts[language];
  const { subject, intro, ignore } = links[purpose];
  const url = `${baseUrl}${linkPurposes[purpose].path}?token=${token}`;
  return { subject, text: textOf(baseUrl, greeting(userName), intro, url, ignore) };
}

/** Returns the mail about a password that was changed by a mailed link. */
export function resetMail(baseUrl: string, userName: string, language: Language): MailText {
  const { greeting, reset } = mailTexts[language];
  const url = `${baseUrl}/account/recovery`;
  return { subject: reset.subject, text: textOf(baseUrl, greeting(userName), reset.intro, url) };
}

const textOf = (baseUrl: string, ...paragraphs: readonly string[]): string =>
  [...paragraphs, `Storefront\n${baseUrl}/`].join('\n\n') + '\n';
