import type { Texts } from '../pages/texts/texts.js';

interface GrantTexts {
  readonly title: string;
  readonly what: string;
  readonly none: string;
  readonly may: string;
  readonly since: string;
  readonly lastUse: string;
  readonly never: string;
  readonly homePage: string;
  readonly revoke: string;
  readonly revokeOf: (name: string) => string;
  readonly revoked: string;
  readonly back: string;
}

export const grantTexts: Texts<GrantTexts> = {
  en: {
    title: 'Applications with access to your account',
    what: 'You have allowed these applications to act for you. Take the permission back from those that you no longer use.',
    none: 'No application has access to your account. When one asks for it, you decide, and it is listed here.',
    may: 'May',
    since: 'Since',
    lastUse: 'Last use',
    never: 'not yet',
    homePage: 'Home page',
    revoke: 'Take access away',
    revokeOf: (name) => `Take access away from ${name}`,
    revoked: 'The application has no access any more.',
    back: 'Back to your account',
  },
  ja: {
    title: '連携中のアプリケーション',
    what: 'あなたの代わりに操作することを許可したアプリケーションです。使わなくなったものは連携を解除してください。',
    none: '連携中のアプリケーションはありません。アプリケーションから求められたときに許可すると、ここに表示されます。',
    may: '許可した内容',
    since: '許可した日時',
    lastUse: '最後に使われた日時',
    never: 'まだありません',
    homePage: 'ホームページ',
    revoke: '連携を解除',
    revokeOf: (name) => `${name} の連携を解除`,
    revoked: '連携を解除しました。',
    back: 'アカウントに戻る',
  },
};
