import { Injectable } from '@nestjs/common';
import type { Language } from '#contracts';
import type { Delivery } from '#events';
import { Log } from '#observability';
import { AccountsEnv } from '../env.js';
import { hashToken } from '../tokens/token.crypto.js';
import { MailClient } from './mail.client.js';
import { MailLinkKey } from './mail-link.crypto.js';
import { MailLinkRepository, type MailUser } from './mail-link.repository.js';
import { linkMail, type LinkPurpose, type MailText, resetMail } from './mail.rules.js';

/**
 * Sends mails. A link is stored once per event. The mail is sent after the commit, so it
 * may be sent twice, with the same link. A retry sends no link that was used, replaced or has
 * expired in between.
 */
@Injectable()
export class MailConsumer {
  constructor(
    private readonly mail: MailClient,
    private readonly links: MailLinkRepository,
    private readonly key: MailLinkKey,
    private readonly env: AccountsEnv,
    private readonly log: Log,
  ) {}

  async passwordResetRequested(delivery: Delivery<'password.reset-requested'>): Promise<void> {
    const { userId, language } = delivery.event.payload;
    if (userId !== null) await this.sendLink(delivery, 'password-reset', userId, language);
  }

  emailConfirmationRequested(delivery: Delivery<'email.confirmation-requested'>): Promise<void> {
    const { userId, language } = delivery.event.payload;
    return this.sendLink(delivery, 'email-confirmation', userId, language);
  }

  /** Sends a mail that the password has changed, so that its user notices a reset by others. */
  async passwordReset({ event }: Delivery<'password.reset'>): Promise<void> {
    const { userId, language } = event.payload;
    const user = this.mail.isEnabled ? await this.links.findRecipient(userId) : undefined;
    if (user) await this.sendTo(user, resetMail(this.env.BASE_URL, user.name, language));
  }

  private async sendLink(
    { event, once }: Delivery<'password.reset-requested' | 'email.confirmation-requested'>,
    purpose: LinkPurpose,
    userId: number,
    language: Language,
  ): Promise<void> {
    if (!this.mail.isEnabled) return;
    const token = this.key.tokenOf(event.id);
    const hash = hashToken(token);
    await once((tx) => this.links.replace(tx, userId, { purpose, hash }, event));
    const user = await this.links.findUser(purpose, hash);
    if (!user) return;
    await this.sendTo(user, linkMail(this.env.BASE_URL, { purpose, token, userName: user.name, language }));
  }

  private async sendTo({ id: userId, email }: MailUser, mail: MailText): Promise<void> {
    if (!(await this.mail.send(email, mail)))
      this.log.info({ userId }, 'Mail not sent, because the SMTP server rejected the recipient');
  }
}
