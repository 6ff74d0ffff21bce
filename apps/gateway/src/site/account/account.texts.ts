import type { Texts } from '../pages/texts/texts.js';

interface AccountTexts {
  readonly title: string;
  readonly name: string;
  readonly displayName: string;
  readonly noDisplayName: string;
  readonly email: string;
  readonly confirmed: string;
  readonly unconfirmed: string;
  readonly sendAgain: string;
  readonly profile: string;
  readonly changeEmail: string;
  readonly changePassword: string;
  readonly setPassword: string;
  readonly more: string;
  readonly page: string;
  readonly pageHint: string;
  readonly applications: string;
  readonly applicationsHint: string;
  readonly access: string;
  readonly accessHint: string;
  readonly webhooks: string;
  readonly webhooksHint: string;
  readonly identities: string;
  readonly identitiesHint: string;
  readonly delete: string;
}

export const accountTexts: Texts<AccountTexts> = {
  en: {
    title: 'Your account',
    name: 'User name',
    displayName: 'Display name',
    noDisplayName: 'Not set',
    email: 'Email address',
    confirmed: 'Confirmed',
    unconfirmed: 'Not confirmed yet. Open the link in our email.',
    sendAgain: 'Send again',
    profile: 'Edit profile',
    changeEmail: 'Change email address',
    changePassword: 'Change password',
    setPassword: 'Set a password',
    more: 'More',
    page: 'Your page',
    pageHint: 'Your profile and products as others see them.',
    applications: 'API key and applications',
    applicationsHint: 'Your personal API key and the applications you have registered.',
    access: 'Applications with access',
    accessHint: 'See which applications can act on your behalf, and revoke their access.',
    webhooks: 'Webhooks',
    webhooksHint: 'Let your own server receive events, such as sales and favorites, as they happen.',
    identities: 'Linked services',
    identitiesHint: 'Other services you can sign in with.',
    delete: 'Delete account',
  },
  ja: {
    title: 'アカウント',
    name: 'ユーザー名',
    displayName: '表示名',
    noDisplayName: '未設定',
    email: 'メールアドレス',
    confirmed: '確認済み',
    unconfirmed: '未確認です。メールのリンクを開いてください。',
    sendAgain: 'もう一度送信する',
    profile: 'プロフィールを編集',
    changeEmail: 'メールアドレスを変更',
    changePassword: 'パスワードを変更',
    setPassword: 'パスワードを設定',
    more: 'その他',
    page: 'あなたのページ',
    pageHint: 'プロフィールと商品の公開ページです。',
    applications: 'APIキーとアプリケーション',
    applicationsHint: '個人用のAPIキーと、登録したアプリケーションを管理します。',
    access: '連携中のアプリケーション',
    accessHint: 'あなたの代わりに操作できるアプリケーションを確認し、連携を解除できます。',
    webhooks: 'Webhook',
    webhooksHint: '販売やお気に入りなどのイベントを、発生と同時に自分のサーバーで受け取れます。',
    identities: '連携サービス',
    identitiesHint: 'サインインに使える外部サービスを管理します。',
    delete: 'アカウントを削除',
  },
};

/**
 * Confirmations by the value of the query parameter `done`. Anyone can write that parameter into a
 * link, so other values show no text.
 */
export const doneTexts = {
  en: {
    profile: 'Your profile has been saved.',
    email: 'Your email address has been changed.',
    confirmed: 'Your email address is confirmed.',
    'confirmation-sent': 'We have sent a link to your email address. It can be used within 24 hours.',
    password: 'Your new password is set. You have been signed out everywhere else.',
  },
  ja: {
    profile: 'プロフィールを保存しました。',
    email: 'メールアドレスを変更しました。',
    confirmed: 'メールアドレスを確認しました。',
    'confirmation-sent': 'メールアドレスにリンクをお送りしました。リンクは24時間以内に使えます。',
    password: '新しいパスワードを設定しました。ほかの端末やブラウザーからはサインアウトしました。',
  },
} as const satisfies Texts<Readonly<Record<string, string>>>;

interface ProfileTexts {
  readonly title: string;
  readonly displayName: string;
  readonly displayNameHint: string;
  readonly avatar: string;
  readonly avatarHint: string;
  readonly header: string;
  readonly headerHint: string;
  readonly homePage: string;
  readonly about: string;
  readonly aboutHint: string;
  readonly submit: string;
  readonly back: string;
}

export const profileTexts: Texts<ProfileTexts> = {
  en: {
    title: 'Edit profile',
    displayName: 'Display name (optional)',
    displayNameHint: 'Shown instead of your user name.',
    avatar: 'Avatar (optional)',
    avatarHint: 'Address of an image, such as https://example.com/me.png. Your page shows a copy of it.',
    header: 'Header image (optional)',
    headerHint: 'Address of a wide image for the top of your page.',
    homePage: 'Website (optional)',
    about: 'About you (optional)',
    aboutHint: 'Shown to everyone on your page.',
    submit: 'Save',
    back: 'Back to your account',
  },
  ja: {
    title: 'プロフィールを編集',
    displayName: '表示名（任意）',
    displayNameHint: 'ユーザー名の代わりに表示されます。',
    avatar: 'アバター画像（任意）',
    avatarHint: '画像のアドレス（https://example.com/me.png など）を入力すると、そのコピーが表示されます。',
    header: 'ヘッダー画像（任意）',
    headerHint: 'あなたのページの上部に表示する、横長の画像のアドレスを入力してください。',
    homePage: 'ウェブサイト（任意）',
    about: '自己紹介（任意）',
    aboutHint: 'あなたのページで公開されます。',
    submit: '保存',
    back: 'アカウントに戻る',
  },
};

interface EmailTexts {
  readonly title: string;
  readonly current: string;
  readonly email: string;
  readonly password: string;
  readonly submit: string;
  readonly back: string;
}

export const emailTexts: Texts<EmailTexts> = {
  en: {
    title: 'Change email address',
    current: 'Current email address',
    email: 'New email address',
    password: 'Current password',
    submit: 'Change email address',
    back: 'Back to your account',
  },
  ja: {
    title: 'メールアドレスを変更',
    current: '現在のメールアドレス',
    email: '新しいメールアドレス',
    password: '現在のパスワード',
    submit: 'メールアドレスを変更',
    back: 'アカウントに戻る',
  },
};

interface PasswordTexts {
  readonly change: string;
  /** Title for a user without a password. */
  readonly set: string;
  /** Explanation for a user without a password. */
  readonly why: string;
  readonly password: string;
  readonly newPassword: string;
  readonly newPasswordHint: string;
  readonly signsOut: string;
  readonly endAccess: string;
  readonly endAccessHint: string;
  readonly submit: string;
  readonly back: string;
}

export const passwordTexts: Texts<PasswordTexts> = {
  en: {
    change: 'Change password',
    set: 'Set a password',
    why: 'You currently sign in through another service. With a password, you can also sign in without it.',
    password: 'Current password',
    newPassword: 'New password',
    newPasswordHint: 'At least 10 characters. A few unrelated words work well.',
    signsOut: 'You will be signed out everywhere else.',
    endAccess: 'Also replace my API key and revoke the access of all applications',
    endAccessHint:
      'Select this if someone else may know your password. Otherwise, your API key and applications keep working.',
    submit: 'Save password',
    back: 'Back to your account',
  },
  ja: {
    change: 'パスワードを変更',
    set: 'パスワードを設定',
    why: '現在は外部サービスでサインインしています。パスワードを設定すると、外部サービスを使わずにサインインできます。',
    password: '現在のパスワード',
    newPassword: '新しいパスワード',
    newPasswordHint: '10文字以上で入力してください。無関係な単語をいくつか並べるのがおすすめです。',
    signsOut: 'ほかの端末やブラウザーからはサインアウトされます。',
    endAccess: 'APIキーを再発行し、すべてのアプリケーションの連携も解除する',
    endAccessHint:
      'パスワードがほかの人に知られた可能性がある場合に選んでください。選ばない場合、APIキーと連携中のアプリケーションはそのまま使えます。',
    submit: 'パスワードを保存',
    back: 'アカウントに戻る',
  },
};

interface DeletionTexts {
  readonly title: string;
  readonly warning: string;
  readonly intro: string;
  readonly parts: readonly string[];
  readonly confirmation: (name: string) => string;
  readonly password: string;
  readonly submit: string;
  readonly cancel: string;
}

export const deletionTexts: Texts<DeletionTexts> = {
  en: {
    title: 'Delete account',
    warning: 'This cannot be undone.',
    intro: 'Deleting your account also deletes:',
    parts: [
      'Your name, email address, password and profile',
      'Your images and materials, and every product made with them',
      'Your lists, favorites and notifications',
      'Your API key, and the access of all applications to your account',
      'Your webhook endpoints, with their events and deliveries',
      'The applications you have registered, which stop working for everyone',
    ],
    confirmation: (name) => `To confirm, enter your user name: ${name}`,
    password: 'Current password',
    submit: 'Delete account',
    cancel: 'Cancel',
  },
  ja: {
    title: 'アカウントを削除',
    warning: 'この操作は取り消せません。',
    intro: 'アカウントとともに、次のものが削除されます。',
    parts: [
      'ユーザー名・メールアドレス・パスワード・プロフィール',
      '画像と素材、それらで作ったすべての商品',
      'リスト・お気に入り・お知らせ',
      'APIキーと、アプリケーションに許可したアクセス',
      'Webhookのエンドポイントと、そのイベント・配信の記録',
      '登録したアプリケーション（ほかのユーザーも使えなくなります）',
    ],
    confirmation: (name) => `確認のため、ユーザー名（${name}）を入力してください`,
    password: '現在のパスワード',
    submit: 'アカウントを削除',
    cancel: 'キャンセル',
  },
};

interface DeletedTexts {
  readonly title: string;
  readonly text: string;
  readonly home: string;
}

export const deletedTexts: Texts<DeletedTexts> = {
  en: {
    title: 'Your account has been deleted',
    text: 'You have been signed out. Your products, images and uploaded files will be removed within minutes. Thank you for using Storefront.',
    home: 'Go to the home page',
  },
  ja: {
    title: 'アカウントを削除しました',
    text: 'サインアウトしました。商品、画像、アップロードしたファイルは数分以内に削除されます。ご利用ありがとうございました。',
    home: 'トップページへ',
  },
};
