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
    login: 'User name or email address',
    password: 'Password',
    submit: 'Sign in',
    newHere: 'New here? Create an account.',
  },
  ja: {
    title: 'サインイン',
    login: 'ユーザー名またはメールアドレス',
    password: 'パスワード',
    submit: 'サインイン',
    newHere: 'はじめての方はこちら（新規登録）',
  },
};
