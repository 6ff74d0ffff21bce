import { z } from 'zod';
import { emailAddress } from '#contracts';

/** Link to the operator of the shop. */
interface ContactLink {
  readonly url: string;
  /** E-mail address, or host and path of a page. */
  readonly text: string;
}

/** Returns the link of a URL; undefined for a URL that pages must not link to. */
function linkOf(url: string): ContactLink | undefined {
  const address = /^mailto:(.*)$/.exec(url)?.[1];
  if (address !== undefined) return emailAddress.safeParse(address).success ? { url, text: address } : undefined;
  if (!URL.canParse(url)) return undefined;
  const { protocol, username, password, host, pathname, href } = new URL(url);
  if (protocol !== 'https:' || username + password !== '') return undefined;
  return { url: href, text: host + pathname.replace(/\/$/, '') };
}

/** Setting with the address of the operator. The output is a link. */
export const contactUrl = z
  .string()
  .transform((url, context) => {
    const link = linkOf(url);
    if (link) return link;
    const message = 'must be mailto: with one email address, or an https:// URL without user name and password';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ kind: 'mailto: or https:// URL' })
  .describe(
    'Your address for visitors: `mailto:shop@example.com`. The pages that refer to you show it as a link: of an internal ' +
      'error, and of a forgotten password if the shop sends no mail',
  );
