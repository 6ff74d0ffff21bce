import { Injectable } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { IsolatedOutage } from '#events';
import { AccountsEnv } from '../env.js';
import type { MailText } from './mail.rules.js';

/** Timeout of each step: name resolution, connection, greeting, and every reply. */
const timeoutMs = 10_000;

/** Deadline of a mail: a server that sends its replies byte by byte exceeds no other timeout. */
const deadlineMs = 60_000;

/** Error of nodemailer. Its message may contain the recipient. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  /** Status of the server's reply. */
  readonly responseCode?: number;
}

/** Returns whether a later attempt may succeed: no connection, no reply, or a temporary reply. */
const isTemporary = ({ code, responseCode }: SmtpError): boolean =>
  responseCode === undefined
    ? ['ECONNECTION', 'ETIMEDOUT', 'EABORT', 'ESOCKET', 'EDNS', 'EPROTOCOL'].includes(code ?? '')
    : responseCode < 500;

/** Sends mail through the operator's SMTP server. Disabled without SMTP_URL. */
@Injectable()
export class MailClient {
  readonly isEnabled: boolean;
  private readonly transport;

  constructor({ SMTP_URL: url, MAIL_FROM: from }: AccountsEnv) {
    this.isEnabled = url !== undefined;
    const timeouts = {
      dnsTimeout: timeoutMs,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    };
    this.transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true }, { from });
  }

  /**
   * Sends a mail. The recipient is never parsed as a header, so it cannot add recipients.
   *
   * @param deadline aborts the mail and closes the connection
   * @returns false when the server rejects the recipient permanently
   * @throws IsolatedOutage when the server is unavailable or requests a later attempt
   * @throws Error when the server rejects the credentials, the sender or the mail. No error
   *   contains the recipient
   */
  async send(
    address: string,
    { subject, text }: MailText,
    deadline = AbortSignal.timeout(deadlineMs),
  ): Promise<boolean> {
    try {
      await this.transport.sendMail({ to: { name: '', address }, subject, text, signal: deadline });
      return true;
    } catch (error) {
      const { code = 'no code', command, responseCode } = error as SmtpError;
      const reason = [code, command, responseCode].filter((it) => it !== undefined).join(' ');
      if (isTemporary(error as SmtpError)) throw new IsolatedOutage(`SMTP_URL unavailable: ${reason}`);
      if (command === 'RCPT TO') return false;
      throw new Error(`SMTP_URL rejected the mail: ${reason}`);
    }
  }
}
