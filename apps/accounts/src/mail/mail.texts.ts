import type { Language } from '#contracts';

interface LinkTexts {
  readonly subject: string;
  readonly intro: string;
  readonly ignore: string;
}

interface MailTexts {
  readonly greeting: (userName: string) => string;
  readonly reset: { readonly subject: string; readonly intro: string };
  readonly links: Readonly<Record<'password-reset' | 'email-confirmation', LinkTexts>>;
}

/** Texts of the mails, by language. */
export const mailTexts: Readonly<Record<Language, MailTexts>> = {
  en: {
    greeting: (userName) => `Hello ${userName},`,
    reset: {
      subject: 'Your password was changed',
      intro:
        'Your password was changed with a link from a message to this address, and you were signed out everywhere. If this was not you, set a new password:',
    },
    links: {
      'password-reset': {
        subject: 'Reset your password',
        intro: 'Open this link to set a new password. It can be used once, within one hour:',
        ignore: 'If you did not request this, ignore this message. Your password has not been changed.',
      },
      'email-confirmation': {
        subject: 'Confirm your email address',
        intro: 'Open this link and confirm that this is your email address. It can be used once, within 24 hours:',
        ignore: 'If you do not have this account, ignore this message.',
      },
    },
  },
  ja: {
    greeting: (userName) => `${userName} さん`,
    reset: {
      subject: 'パスワードが変更されました',
      intro:
        'このアドレスに届いたリンクからパスワードが変更され、すべての端末でサインアウトしました。お心当たりがない場合は、新しいパスワードを設定してください。',
    },
    links: {
      'password-reset': {
        subject: 'パスワードの再設定',
        intro: '次のリンクを開いて、新しいパスワードを設定してください。リンクは1時間以内に1回だけ使えます。',
        ignore: 'お心当たりがない場合は、このメールを破棄してください。パスワードは変更されていません。',
      },
      'email-confirmation': {
        subject: 'メールアドレスの確認',
        intro:
          '次のリンクを開いて、メールアドレスがご本人のものであることを確認してください。リンクは24時間以内に1回だけ使えます。',
        ignore: 'お心当たりがない場合は、このメールを破棄してください。',
      },
    },
  },
};
