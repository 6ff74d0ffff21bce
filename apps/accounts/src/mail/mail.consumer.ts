import { Injectable } from '@nestjs/common';
import type { Language } from '#contracts';
import type { Delivery } from '#events';
import { Log } from '#observability';
import { AccountsEnv } from '../env.js';
import { hashToken } from '../tokens/token.crypto.js';
import { MailClient } from './mail.client.js';
import { MailLinkKey } from './mail-link.crypto.js';
import { MailLinkRepository } from './mail-link.repository.js';
import { linkMail, type LinkPurpose } from './mail.rules.js';

/**
 * Sends links by mail. The link is stored once per event. The mail is sent after the commit, so it
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
    if (userId !== null) await this.send(delivery, 'password-reset', userId, language);
  }

  emailConfirmationRequested(delivery: Delivery<'email.confirmation-requested'>): Promise<void> {
    const { userId, language } = delivery.event.payload;
    return this.send(delivery, 'email-confirmation', userId, language);
  }

  private async send(
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
    const mail = linkMail(this.env.BASE_URL, { purpose, token, userName: user.name, language });
    if (!(await this.mail.send(user.email, mail)))
      this.log.info({ userId, purpose }, 'Mail not sent, because the SMTP server rejected the recipient');
  }
}
