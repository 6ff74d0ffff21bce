import type { Texts } from '../pages/texts/texts.js';

interface RecoveryTexts {
  readonly title: string;
  readonly intro: string;
  readonly email: string;
  readonly submit: string;
  /** The same for every address. */
  readonly sent: string;
  /** Instead of the form, if the shop sends no mail. */
  readonly disabled: string;
  readonly signIn: string;
}

export const recoveryTexts: Texts<RecoveryTexts> = {
  en: {
    title: 'Reset your password',
    intro: 'Enter the email address of your account. We will send you a link to set a new password.',
    email: 'Email address',
    submit: 'Send link',
    sent: 'If an account has this email address, we have sent a link to it. The link can be used once, within one hour. If it does not arrive, check your spam folder.',
    disabled: 'This shop does not send email. Ask its operator to reset your password.',
    signIn: 'Back to sign-in',
  },
  ja: {
    title: 'パスワードの再設定',
    intro:
      'アカウントのメールアドレスを入力してください。新しいパスワードを設定するためのリンクをメールでお送りします。',
    email: 'メールアドレス',
    submit: 'リンクを送信',
    sent: '入力されたメールアドレスのアカウントがある場合は、リンクをお送りしました。リンクは1時間以内に1回だけ使えます。届かないときは、迷惑メールフォルダーもご確認ください。',
    disabled: 'このショップではメールを送信していません。パスワードの再設定は、ショップの運営者にご依頼ください。',
    signIn: 'サインインに戻る',
  },
};

interface NewPasswordTexts {
  readonly title: string;
  readonly account: string;
  readonly signsOut: string;
  readonly expired: string;
  readonly again: string;
}

/** Texts of the page that a link opens, in addition to those of the form for a new password. */
export const newPasswordTexts: Texts<NewPasswordTexts> = {
  en: {
    title: 'Set a new password',
    account: 'User name',
    signsOut: 'You will be signed out everywhere, and can then sign in with the new password.',
    expired:
      'This link has expired or has already been used. If you have just set a new password, you can sign in with it.',
    again: 'Request another link',
  },
  ja: {
    title: '新しいパスワードの設定',
    account: 'ユーザー名',
    signsOut: 'すべての端末とブラウザーからサインアウトされます。その後、新しいパスワードでサインインできます。',
    expired:
      'このリンクは有効期限が切れているか、すでに使用されています。パスワードを設定したばかりの場合は、そのままサインインできます。',
    again: '新しいリンクを申請する',
  },
};

interface ConfirmationTexts {
  readonly title: string;
  readonly text: string;
  readonly submit: string;
  readonly expired: string;
  readonly account: string;
}

export const confirmationTexts: Texts<ConfirmationTexts> = {
  en: {
    title: 'Confirm your email address',
    text: 'You have opened the link in our email. Press the button to confirm that the email address of your account is correct.',
    submit: 'Confirm email address',
    expired:
      'This link has expired, has already been used, or was replaced by a newer email. Your account page shows if your address is confirmed.',
    account: 'Go to your account',
  },
  ja: {
    title: 'メールアドレスの確認',
    text: 'メールのリンクを開いていただき、ありがとうございます。ボタンを押すと、メールアドレスの確認が完了します。',
    submit: '確認を完了する',
    expired:
      'このリンクは有効期限が切れているか、すでに使用されたか、新しいメールのリンクに置き換えられています。確認が完了しているかどうかは、アカウントのページでわかります。',
    account: 'アカウントのページへ',
  },
};
