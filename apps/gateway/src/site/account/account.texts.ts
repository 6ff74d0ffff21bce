import type { Texts } from '../pages/texts/texts.js';

interface AccountTexts {
  readonly title: string;
  readonly name: string;
  readonly displayName: string;
  readonly noDisplayName: string;
  readonly email: string;
  readonly profile: string;
  readonly changeEmail: string;
  readonly changePassword: string;
  readonly choosePassword: string;
  readonly more: string;
  readonly page: string;
  readonly pageHint: string;
  readonly applications: string;
  readonly applicationsHint: string;
  readonly access: string;
  readonly accessHint: string;
  readonly identities: string;
  readonly identitiesHint: string;
  readonly remove: string;
}

export const accountTexts: Texts<AccountTexts> = {
  en: {
    title: 'Your account',
    name: 'User name',
    displayName: 'Display name',
    noDisplayName: 'none yet',
    email: 'E-mail address',
    profile: 'Edit your profile',
    changeEmail: 'Change your e-mail address',
    changePassword: 'Change your password',
    choosePassword: 'Choose a password',
    more: 'What is yours',
    page: 'Your page',
    pageHint: 'What everybody sees of you and your products.',
    applications: 'API key and applications',
    applicationsHint: 'Your personal key, and the applications that you have registered.',
    access: 'Applications with access',
    accessHint: 'Which applications may act in your name, and how to stop them.',
    identities: 'Linked services',
    identitiesHint: 'Other services that you can sign in with.',
    remove: 'Delete your account',
  },
  ja: {
    title: 'アカウント',
    name: 'ユーザー名',
    displayName: '表示名',
    noDisplayName: '未設定',
    email: 'メールアドレス',
    profile: 'プロフィールを編集',
    changeEmail: 'メールアドレスを変更',
    changePassword: 'パスワードを変更',
    choosePassword: 'パスワードを設定',
    more: 'あなたのページと連携',
    page: 'あなたのページ',
    pageHint: 'プロフィールと商品の公開ページです。',
    applications: 'APIキーとアプリケーション',
    applicationsHint: '個人用のAPIキーと、登録したアプリケーションを管理します。',
    access: '連携中のアプリケーション',
    accessHint: 'あなたの代わりに操作できるアプリケーションの確認と解除ができます。',
    identities: '連携サービス',
    identitiesHint: 'ログインに使える外部サービスを管理します。',
    remove: 'アカウントを削除',
  },
};

/** What has just been done, by the word for it in an address: anybody can write that, and so these are all there are. */
export const doneTexts = {
  en: {
    profile: 'Your profile has been saved.',
    email: 'Your e-mail address has been changed.',
    password: 'Your new password is set. Wherever else you were signed in, you are signed out now.',
  },
  ja: {
    profile: 'プロフィールを保存しました。',
    email: 'メールアドレスを変更しました。',
    password: '新しいパスワードを設定しました。ほかの端末やブラウザーからはログアウトしました。',
  },
} as const satisfies Texts<Readonly<Record<string, string>>>;

interface ProfileTexts {
  readonly title: string;
  readonly displayName: string;
  readonly displayNameHint: string;
  readonly homePage: string;
  readonly about: string;
  readonly aboutHint: string;
  readonly submit: string;
  readonly back: string;
}

export const profileTexts: Texts<ProfileTexts> = {
  en: {
    title: 'Edit your profile',
    displayName: 'Display name (optional)',
    displayNameHint: 'Shown instead of your user name.',
    homePage: 'Home page (optional)',
    about: 'About you (optional)',
    aboutHint: 'Everybody can read this on your page.',
    submit: 'Save',
    back: 'Back to your account',
  },
  ja: {
    title: 'プロフィールを編集',
    displayName: '表示名（任意）',
    displayNameHint: 'ユーザー名の代わりに表示されます。',
    homePage: 'ホームページ（任意）',
    about: '自己紹介（任意）',
    aboutHint: 'あなたのページで公開されます。',
    submit: '保存',
    back: 'アカウントに戻る',
  },
};

interface EmailTexts {
  readonly title: string;
  readonly now: string;
  readonly email: string;
  readonly password: string;
  readonly submit: string;
  readonly back: string;
}

export const emailTexts: Texts<EmailTexts> = {
  en: {
    title: 'Change your e-mail address',
    now: 'It is now',
    email: 'New e-mail address',
    password: 'Your password',
    submit: 'Change',
    back: 'Back to your account',
  },
  ja: {
    title: 'メールアドレスを変更',
    now: '現在のメールアドレス',
    email: '新しいメールアドレス',
    password: 'パスワード',
    submit: '変更',
    back: 'アカウントに戻る',
  },
};

interface PasswordTexts {
  readonly change: string;
  readonly choose: string;
  readonly why: string;
  readonly password: string;
  readonly newPassword: string;
  readonly newPasswordHint: string;
  readonly everywhere: string;
  readonly endAccess: string;
  readonly endAccessHint: string;
  readonly submit: string;
  readonly back: string;
}

export const passwordTexts: Texts<PasswordTexts> = {
  en: {
    change: 'Change your password',
    choose: 'Choose a password',
    why: 'You have signed in through another service so far. With a password you can sign in without it.',
    password: 'Present password',
    newPassword: 'New password',
    newPasswordHint: 'At least 10 characters. A few words that only you would put together are good.',
    everywhere: 'Wherever else you are signed in, you will be signed out.',
    endAccess: 'Also replace my API key and end the access of all applications',
    endAccessHint:
      'Choose this when somebody else may know your password. Without it your key and applications go on working.',
    submit: 'Set the password',
    back: 'Back to your account',
  },
  ja: {
    change: 'パスワードを変更',
    choose: 'パスワードを設定',
    why: '現在は外部サービスでログインしています。パスワードを設定すると、外部サービスを使わずにログインできます。',
    password: '現在のパスワード',
    newPassword: '新しいパスワード',
    newPasswordHint: '10文字以上。自分だけの単語をいくつか並べるのがおすすめです。',
    everywhere: 'ほかの端末やブラウザーからはログアウトされます。',
    endAccess: 'APIキーを再発行し、すべてのアプリケーションの連携も解除する',
    endAccessHint:
      'パスワードがほかの人に知られた可能性がある場合に選んでください。選ばない場合、APIキーと連携中のアプリケーションはそのまま使えます。',
    submit: 'パスワードを設定',
    back: 'アカウントに戻る',
  },
};

interface LeaveTexts {
  readonly title: string;
  readonly warning: string;
  readonly what: string;
  readonly parts: readonly string[];
  readonly confirmation: (name: string) => string;
  readonly password: string;
  readonly submit: string;
  readonly back: string;
}

export const leaveTexts: Texts<LeaveTexts> = {
  en: {
    title: 'Delete your account',
    warning: 'This cannot be undone.',
    what: 'These are deleted with your account:',
    parts: [
      'your name, e-mail address, password and profile',
      'your pictures and materials, with every product made of them',
      'your choices and favorites',
      'your API key, and the access of all applications to your account',
      'the applications that you have registered; they stop working for everybody',
    ],
    confirmation: (name) => `To be sure, type your user name: ${name}`,
    password: 'Your password',
    submit: 'Delete my account',
    back: 'Keep it, and go back',
  },
  ja: {
    title: 'アカウントを削除',
    warning: 'この操作は取り消せません。',
    what: 'アカウントとともに次のものが削除されます。',
    parts: [
      'ユーザー名・メールアドレス・パスワード・プロフィール',
      '画像と素材、それらで作ったすべての商品',
      'チョイスとお気に入り',
      'APIキーと、アプリケーションに許可したアクセス',
      '登録したアプリケーション（ほかの利用者も使えなくなります）',
    ],
    confirmation: (name) => `確認のため、ユーザー名（${name}）を入力してください`,
    password: 'パスワード',
    submit: 'アカウントを削除する',
    back: '削除せずに戻る',
  },
};

interface DeletedTexts {
  readonly title: string;
  readonly text: string;
  readonly home: string;
}

export const deletedTexts: Texts<DeletedTexts> = {
  en: {
    title: 'Goodbye',
    text: 'Your account has been deleted, and you are signed out. Your products, images and uploaded files disappear within minutes. Thank you for having been here.',
    home: 'To the front page',
  },
  ja: {
    title: 'ご利用ありがとうございました',
    text: 'アカウントを削除し、ログアウトしました。商品と画像は数分以内に表示されなくなります。',
    home: 'トップページへ',
  },
};
