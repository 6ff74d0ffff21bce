import type { Texts } from '../pages/texts/texts.js';

interface SignInTexts {
  readonly title: string;
  readonly login: string;
  readonly password: string;
  readonly submit: string;
  readonly newHere: string;
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
    draft: 'Your session has expired. Sign in to return to the form with the text you entered.',
  },
  ja: {
    title: 'サインイン',
    login: 'ユーザー名またはメールアドレス',
    password: 'パスワード',
    submit: 'サインイン',
    newHere: 'はじめての方はこちら（新規登録）',
    draft: 'サインインの有効期限が切れました。サインインすると、入力した内容のままフォームに戻ります。',
  },
};
