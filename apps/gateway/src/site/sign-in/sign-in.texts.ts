import type { Texts } from '../pages/texts/texts.js';

interface SignInTexts {
  readonly title: string;
  readonly login: string;
  readonly password: string;
  readonly submit: string;
  readonly newHere: string;
  readonly recovery: string;
  /** Before the sign-in that leads back to a form. */
  readonly draft: string;
}

export const signInTexts: Texts<SignInTexts> = {
  en: {
    title: 'Sign in',
    login: 'User name or email address',
    password: 'Password',
    submit: 'Sign in',
    newHere: 'New here? Create an account.',
    recovery: 'Lost your password? Reset it.',
    draft: 'Your session has expired. Sign in to return to the form with the text you entered.',
  },
  ja: {
    title: 'サインイン',
    login: 'ユーザー名またはメールアドレス',
    password: 'パスワード',
    submit: 'サインイン',
    newHere: 'はじめての方はこちら（新規登録）',
    recovery: 'パスワードを忘れた方はこちら（再設定）',
    draft: 'サインインの有効期限が切れました。サインインすると、入力した内容のままフォームに戻ります。',
  },
};

/** Confirmations by the value of the query parameter `done`. */
export const signInDoneTexts = {
  en: {
    password: 'Your new password is set. Sign in with it.',
    confirmed: 'Your email address is confirmed.',
  },
  ja: {
    password: '新しいパスワードを設定しました。そのパスワードでサインインしてください。',
    confirmed: 'メールアドレスを確認しました。',
  },
} as const satisfies Texts<Readonly<Record<string, string>>>;
