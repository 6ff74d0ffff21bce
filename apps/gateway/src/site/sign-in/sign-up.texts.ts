import type { Texts } from '../pages/texts/texts.js';

interface SignUpTexts {
  readonly title: string;
  readonly name: string;
  /** @param address where the pages of the user will be */
  readonly nameHint: (address: string) => string;
  readonly email: string;
  readonly emailHint: string;
  readonly password: string;
  readonly passwordHint: string;
  readonly submit: string;
  readonly haveOne: string;
}

export const signUpTexts: Texts<SignUpTexts> = {
  en: {
    title: 'Sign up',
    name: 'User name',
    nameHint: (address) =>
      `It is in the address of your pages, ${address}, and cannot be changed later. Letters a to z, digits, - and _.`,
    email: 'E-mail address',
    emailHint: 'Only you see it. You can sign in with it too.',
    password: 'Password',
    passwordHint: 'At least 10 characters. A few words that only you would put together are good.',
    submit: 'Make my account',
    haveOne: 'You have an account? Sign in.',
  },
  ja: {
    title: '新規登録',
    name: 'ユーザー名',
    nameHint: (address) =>
      `あなたのページのアドレス（${address}）に使われます。あとから変更はできません。半角英数字と「-」「_」が使えます。`,
    email: 'メールアドレス',
    emailHint: '公開されません。ログインにも使えます。',
    password: 'パスワード',
    passwordHint: '10文字以上。自分だけの単語をいくつか並べるのがおすすめです。',
    submit: 'アカウントを作成',
    haveOne: 'アカウントをお持ちの方はこちら（ログイン）',
  },
};
