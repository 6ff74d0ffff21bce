import type { Texts } from '../pages/texts/texts.js';

interface ProviderButtonTexts {
  readonly or: string;
  readonly signInWith: (label: string) => string;
}

/** Texts of the provider buttons below the sign-in and sign-up forms. */
export const providerButtonTexts: Texts<ProviderButtonTexts> = {
  en: { or: 'Or use another service', signInWith: (label) => `Sign in with ${label}` },
  ja: { or: 'ほかのサービスのアカウントを使う', signInWith: (label) => `${label}でサインイン` },
};

interface IdentitySignUpTexts {
  readonly title: string;
  readonly intro: (label: string) => string;
  readonly name: string;
  readonly nameHint: string;
  readonly email: string;
  readonly emailHint: string;
  readonly submit: string;
  readonly haveAccount: (label: string) => string;
}

export const identitySignUpTexts: Texts<IdentitySignUpTexts> = {
  en: {
    title: 'Choose a user name',
    intro: (label) => `You have signed in with ${label} for the first time. Choose a user name to create your account.`,
    name: 'User name',
    nameHint:
      'Part of the address of your page. You cannot change it later. Use letters (a–z), digits, hyphens and underscores.',
    email: 'Email address',
    emailHint: 'It is not shown to other users.',
    submit: 'Create account',
    haveAccount: (label) =>
      `Already have an account? Sign in the way you usually do, then link ${label} under “Linked services”.`,
  },
  ja: {
    title: 'ユーザー名の登録',
    intro: (label) => `${label}でのサインインははじめてです。ユーザー名を決めて、アカウントを作成してください。`,
    name: 'ユーザー名',
    nameHint:
      'あなたのページのアドレスに使われます。あとから変更はできません。半角英数字、ハイフン（-）、アンダースコア（_）が使えます。',
    email: 'メールアドレス',
    emailHint: '公開されません。',
    submit: 'アカウントを作成',
    haveAccount: (label) =>
      `すでにアカウントをお持ちの場合は、いつもの方法でサインインし、「連携サービス」のページで${label}を連携してください。`,
  },
};

interface IdentityTexts {
  readonly title: string;
  readonly intro: string;
  readonly isPublic: string;
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
    intro: 'Sign in with your account at a linked service, without a password.',
    isPublic: 'Everyone can see your linked services and your account there.',
    none: 'You have no linked services.',
    unlink: 'Unlink',
    last: 'This is your only way to sign in, so it cannot be unlinked. Set a password or link another service first.',
    password: 'Set a password',
    more: 'Link another service',
    link: (label) => `Link ${label}`,
    back: 'Back to your account',
  },
  ja: {
    title: '連携サービス',
    intro: '連携したサービスのアカウントで、パスワードを使わずにサインインできます。',
    isPublic: '連携したサービスの名前と、そのサービスでのアカウント情報は公開されます。',
    none: '連携しているサービスはありません。',
    unlink: '連携を解除',
    last: 'ほかにサインインする方法がないため解除できません。先にパスワードを設定するか、別のサービスを連携してください。',
    password: 'パスワードを設定',
    more: 'サービスを追加',
    link: (label) => `${label}を連携`,
    back: 'アカウントに戻る',
  },
};

/** Texts for a failed sign-in through a provider, by problem code. */
interface SignInErrorTexts {
  readonly titles: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, string>>;
  readonly toSignIn: string;
  readonly toIdentities: string;
}

export const signInErrorTexts: Texts<SignInErrorTexts> = {
  en: {
    titles: {
      'identity.refused': 'The other service did not confirm your identity',
      'identity.expired': 'The sign-in has expired',
      'identity.taken': 'This account is linked to another user',
      'identity.provider-away': 'The other service is not responding',
      'sign-in.too-many': 'Too many attempts',
      'sign-in.too-old': 'Sign in again to continue',
    },
    details: {
      'identity.refused': 'You may have canceled. Nothing was changed. Try again, or sign in another way.',
      'identity.expired':
        'The page was open too long, was opened twice, or was opened in another browser. Start again.',
      'identity.taken':
        'The account at the other service is linked to another user. To link it to your account, first sign in with it and unlink it there.',
      'identity.provider-away': 'This is not your fault. Try again later, or sign in another way.',
      'sign-in.too-many': 'Too many sign-ins were started from your network. Wait 15 minutes, then try again.',
      'sign-in.too-old':
        'You signed in more than 10 minutes ago. To link another service, sign out, sign in again, and link it within 10 minutes.',
    },
    toSignIn: 'Back to sign-in',
    toIdentities: 'Back to linked services',
  },
  ja: {
    titles: {
      'identity.refused': '連携先のサービスで本人確認ができませんでした',
      'identity.expired': 'サインインの有効期限が切れました',
      'identity.taken': '別のユーザーが連携しています',
      'identity.provider-away': '連携先のサービスが応答しません',
      'sign-in.too-many': '試行回数が上限に達しました',
      'sign-in.too-old': 'もう一度サインインしてください',
    },
    details: {
      'identity.refused':
        'キャンセルされた可能性があります。変更はされていません。もう一度試すか、別の方法でサインインしてください。',
      'identity.expired':
        '時間がかかりすぎたか、ページが二度開かれたか、別のブラウザーで開かれました。はじめからやり直してください。',
      'identity.taken':
        '連携先のアカウントは、別のユーザーと連携しています。ご自分のアカウントと連携するには、そのアカウントでサインインし、先に連携を解除してください。',
      'identity.provider-away':
        'お客様の操作に問題はありません。しばらくしてからもう一度試すか、別の方法でサインインしてください。',
      'sign-in.too-many':
        'お使いのネットワークからのサインインが短時間に繰り返されました。15分ほど待ってから、もう一度お試しください。',
      'sign-in.too-old':
        'サインインから10分以上経過しています。サービスを連携するには、サインアウトしてサインインし直し、10分以内に連携してください。',
    },
    toSignIn: 'サインインに戻る',
    toIdentities: '連携サービスに戻る',
  },
};
