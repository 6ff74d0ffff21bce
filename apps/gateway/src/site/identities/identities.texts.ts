import type { Texts } from '../pages/texts/texts.js';

interface ButtonTexts {
  readonly or: string;
  readonly signInWith: (label: string) => string;
}

/** The buttons below a form to sign in or up. */
export const buttonTexts: Texts<ButtonTexts> = {
  en: { or: 'Or with an account that you have elsewhere', signInWith: (label) => `Sign in with ${label}` },
  ja: { or: 'ほかのサービスのアカウントを使う', signInWith: (label) => `${label}でログイン` },
};

interface NewcomerTexts {
  readonly title: string;
  readonly intro: (label: string) => string;
  readonly name: string;
  readonly nameHint: string;
  readonly email: string;
  readonly emailHint: string;
  readonly submit: string;
  readonly haveOne: (label: string) => string;
}

export const signUpFormTexts: Texts<NewcomerTexts> = {
  en: {
    title: 'Choose your name',
    intro: (label) => `${label} has told us who you are. One step is left: nobody here has this ${label} account yet.`,
    name: 'User name',
    nameHint: 'It is in the address of your pages and cannot be changed later. Letters a to z, digits, - and _.',
    email: 'E-mail address',
    emailHint: 'Only you see it.',
    submit: 'Make my account',
    haveOne: (label) =>
      `You have an account here already? Sign in to it as you always do, then link ${label} on the page “Linked services”.`,
  },
  ja: {
    title: 'ユーザー名を決める',
    intro: (label) =>
      `${label}で本人確認ができました。この${label}アカウントでのご利用ははじめてです。あと一歩で完了します。`,
    name: 'ユーザー名',
    nameHint: 'あなたのページのアドレスに使われます。あとから変更はできません。半角英数字と「-」「_」が使えます。',
    email: 'メールアドレス',
    emailHint: '公開されません。',
    submit: 'アカウントを作成',
    haveOne: (label) =>
      `すでにアカウントをお持ちの場合は、いつもの方法でログインしてから「連携サービス」のページで${label}を連携してください。`,
  },
};

interface IdentityTexts {
  readonly title: string;
  readonly intro: string;
  readonly seen: string;
  readonly none: string;
  readonly unlink: string;
  readonly last: string;
  readonly password: string;
  readonly more: string;
  readonly link: (label: string) => string;
  readonly back: string;
}

export const identityTexts: Texts<IdentityTexts> = {
  en: {
    title: 'Linked services',
    intro: 'With an account at one of these services you can sign in here, without a password of ours.',
    seen: 'Everybody can see which services you have linked, and who you are there.',
    none: 'You have not linked any.',
    unlink: 'Unlink',
    last: 'It is your only way to sign in, so it cannot be unlinked. Choose a password or link another service first.',
    password: 'Choose a password',
    more: 'Link another one',
    link: (label) => `Link ${label}`,
    back: 'Back to your account',
  },
  ja: {
    title: '連携サービス',
    intro: '連携したサービスのアカウントで、パスワードを使わずにログインできます。',
    seen: '連携したサービスの名前と、そのサービスでのあなたの情報は公開されます。',
    none: '連携しているサービスはありません。',
    unlink: '連携を解除',
    last: 'ほかにログインする方法がないため解除できません。先にパスワードを設定するか、別のサービスを連携してください。',
    password: 'パスワードを設定',
    more: 'サービスを追加する',
    link: (label) => `${label}を連携`,
    back: 'アカウントに戻る',
  },
};

/** What went wrong on the way to a provider and back, by the code of the problem. */
interface TroubleTexts {
  readonly titles: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, string>>;
  readonly toSignIn: string;
  readonly toIdentities: string;
}

export const signInErrorTexts: Texts<TroubleTexts> = {
  en: {
    titles: {
      'identity.refused': 'The other service did not confirm who you are',
      'identity.expired': 'That took too long',
      'identity.taken': 'This account belongs to another user here',
      'identity.provider-away': 'The other service does not answer',
      'sign-in.too-many': 'Too many attempts',
      'sign-in.too-old': 'Your sign-in was too long ago',
    },
    details: {
      'identity.refused':
        'Perhaps you pressed Cancel there. Nothing was changed. You can try again, or sign in another way.',
      'identity.expired': 'The page was left open too long, was opened twice or in another browser. Begin again.',
      'identity.taken':
        'The account at the other service is linked to another user of ours. Sign in with it, and unlink it there first if you want it here.',
      'identity.provider-away': 'It is not your mistake. Try again later, or sign in another way.',
      'sign-in.too-many': 'Too many sign-ins were begun from here. Wait a quarter of an hour and try again.',
      'sign-in.too-old': 'To link another service, sign out, sign in again, and link it within 10 minutes.',
    },
    toSignIn: 'To the sign-in',
    toIdentities: 'To the linked services',
  },
  ja: {
    titles: {
      'identity.refused': '本人確認ができませんでした',
      'identity.expired': '有効期限が切れました',
      'identity.taken': '別のユーザーが連携しています',
      'identity.provider-away': '連携先のサービスが応答しません',
      'sign-in.too-many': '試行回数が多すぎます',
      'sign-in.too-old': 'ログインから時間がたっています',
    },
    details: {
      'identity.refused':
        '連携先の画面でキャンセルされた可能性があります。変更はされていません。もう一度試すか、別の方法でログインしてください。',
      'identity.expired':
        '時間がかかりすぎたか、ページが二度開かれたか、別のブラウザーで開かれました。はじめからやり直してください。',
      'identity.taken':
        '連携先のアカウントは、ここの別のユーザーと連携しています。使いたい場合は、そのアカウントでログインし、先に連携を解除してください。',
      'identity.provider-away':
        '原因はあなたの操作ではありません。後でもう一度試すか、別の方法でログインしてください。',
      'sign-in.too-many': 'ログインの開始が短い時間に繰り返されました。15分ほど待ってからもう一度お試しください。',
      'sign-in.too-old':
        'ほかのサービスを連携するには、一度ログアウトし、ログインし直してから10分以内に連携してください。',
    },
    toSignIn: 'ログインへ',
    toIdentities: '連携サービスへ',
  },
};
