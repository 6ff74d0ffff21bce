import { z } from 'zod';
import { emailAddress } from '#contracts';

/** Sender of mail: display name, which may be empty, and e-mail address. */
interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** Name without characters that have a meaning in a header (RFC 5322, 3.2.3), and an address. */
const pattern = /^(?:([^\p{Cc}"(),:;<>@[\\\]]+) )?<([^<>]+)>$/u;

/** Schema of a mailbox: `shop@example.com` or `Shop <shop@example.com>`. */
export const mailbox = z.string().transform((text, context): Mailbox => {
  const [, name = '', address = text] = pattern.exec(text) ?? [];
  if (emailAddress.safeParse(address).success) return { name, address };
  context.addIssue({ code: 'custom', message: 'must look like shop@example.com or Shop <shop@example.com>' });
  return z.NEVER;
});
