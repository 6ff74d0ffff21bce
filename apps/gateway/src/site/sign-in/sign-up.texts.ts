import type { Texts } from '../pages/texts/texts.js';

interface SignUpTexts {
  readonly title: string;
  readonly name: string;
  /** @param address example of the address of a user's page */
  readonly nameHint: (address: string) => string;
  readonly email: string;
  readonly emailHint: string;
  readonly password: string;
  readonly passwordHint: string;
  readonly submit: string;
  readonly haveAccount: string;
}

export const signUpTexts: Texts<SignUpTexts> = {
  en: {
    title: 'Create account',
    name: 'User name',
    nameHint: (address) =>
      `Part of the address of your page, such as ${address}. You cannot change it later. Use letters (a–z), digits, hyphens and underscores.`,
    email: 'Email address',
    emailHint: 'It is not shown to other users. You can also sign in with it.',
    password: 'Password',
    passwordHint: 'At least 10 characters. A few unrelated words work well.',
    submit: 'Create account',
    haveAccount: 'Already have an account? Sign in.',
  },
  ja: {
    title: 'アカウントを作成',
    name: 'ユーザー名',
    nameHint: (address) =>
      `あなたのページのアドレス（例：${address}）に使われます。あとから変更はできません。半角英数字、ハイフン（-）、アンダースコア（_）が使えます。`,
    email: 'メールアドレス',
    emailHint: '公開されません。サインインにも使えます。',
    password: 'パスワード',
    passwordHint: '10文字以上で入力してください。無関係な単語をいくつか並べるのがおすすめです。',
    submit: 'アカウントを作成',
    haveAccount: 'アカウントをお持ちの方はこちら（サインイン）',
  },
};
