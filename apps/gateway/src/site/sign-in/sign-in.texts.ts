import type { Texts } from '../pages/texts/texts.js';

interface SignInTexts {
  readonly title: string;
  readonly login: string;
  readonly password: string;
  readonly submit: string;
  readonly newHere: string;
}

export const signInTexts: Texts<SignInTexts> = {
  en: {
    title: 'Sign in',
    login: 'User name or e-mail address',
    password: 'Password',
    submit: 'Sign in',
    newHere: 'New here? Make an account.',
  },
  ja: {
    title: 'ログイン',
    login: 'ユーザー名またはメールアドレス',
    password: 'パスワード',
    submit: 'ログイン',
    newHere: 'はじめての方はこちら（新規登録）',
  },
};
