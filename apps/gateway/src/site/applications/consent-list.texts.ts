import type { Texts } from '../pages/texts/texts.js';

interface ConsentListTexts {
  readonly title: string;
  readonly intro: string;
  readonly none: string;
  readonly permissions: string;
  readonly since: string;
  readonly lastUse: string;
  readonly never: string;
  readonly homePage: string;
  readonly revoke: string;
  readonly revokeFor: (name: string) => string;
  readonly revoked: string;
  readonly back: string;
}

export const consentListTexts: Texts<ConsentListTexts> = {
  en: {
    title: 'Applications with access to your account',
    intro: 'These applications can act on your behalf. Revoke the access of those you no longer use.',
    none: 'No application has access to your account. Applications that you allow appear here.',
    permissions: 'Permissions',
    since: 'Access since',
    lastUse: 'Last used',
    never: 'Never',
    homePage: 'Website',
    revoke: 'Revoke access',
    revokeFor: (name) => `Revoke access for ${name}`,
    revoked: 'The application no longer has access.',
    back: 'Back to your account',
  },
  ja: {
    title: '連携中のアプリケーション',
    intro: 'あなたの代わりに操作できるアプリケーションです。使わなくなったものは連携を解除してください。',
    none: '連携中のアプリケーションはありません。許可したアプリケーションがここに表示されます。',
    permissions: '許可した内容',
    since: '許可した日時',
    lastUse: '最後に使われた日時',
    never: 'まだ使われていません',
    homePage: 'ウェブサイト',
    revoke: '連携を解除',
    revokeFor: (name) => `${name} の連携を解除`,
    revoked: '連携を解除しました。',
    back: 'アカウントに戻る',
  },
};
