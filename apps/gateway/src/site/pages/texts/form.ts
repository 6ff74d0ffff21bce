import type { Texts } from './texts.js';

/**
 * What stands beside a field that is wrong, by `<field>.invalid` where the shape is wrong and by the code of the problem
 * where it cannot be done.
 */
const en = {
  summary: 'Something needs your attention:',
  'form.invalid': 'The form is not complete. Open the page again.',
  'name.invalid': 'Use 1 to 50 letters a to z, digits, hyphens and underscores.',
  'email.invalid': 'Enter an e-mail address, such as hanako@example.com.',
  'password.invalid': 'Enter your password.',
  'newPassword.invalid': 'Use 10 to 1,000 characters.',
  'confirmation.invalid': 'Type your user name exactly as it is written on this page.',
  'displayName.invalid': 'Use up to 255 characters on one line, without invisible ones.',
  'homePage.invalid': 'Enter an address that begins with https:// or http://, or nothing.',
  'about.invalid': 'Use up to 10,000 characters.',
  'login.invalid': 'Enter your user name or your e-mail address.',
  'user.name-taken': 'This name is taken. Choose another one.',
  'user.name-reserved': 'This name is reserved. Choose another one.',
  'user.name-differs': 'This is not your user name.',
  'user.email-taken': 'There is an account with this e-mail address.',
  'user.not-found': 'This account is gone.',
  'password.wrong': 'The password is not right.',
  'password.easy-to-guess': 'This password is easy to guess. Choose another one, such as four words of your own.',
  'sign-in.refused': 'The name or the password is not right.',
  'sign-in.too-many': 'Too many attempts. Wait a quarter of an hour and try again.',
  'sign-in.too-old': 'Your sign-in is older than 10 minutes. Sign out, sign in again, and come back.',
  'identity.expired': 'This form was open too long, or was sent before. Sign in through the other service again.',
  'identity.taken': 'There is a user with this account of the other service by now. Sign in with it.',
  'identity.last': 'It is your only way to sign in. Choose a password or link another service first.',
  'identity.not-found': 'It is not linked any more.',
};
type FormTexts = Readonly<Record<string, string>> & typeof en;

export const formTexts: Texts<FormTexts> = {
  en,
  ja: {
    summary: '入力内容を確認してください。',
    'form.invalid': 'フォームが正しくありません。ページを開き直してください。',
    'name.invalid': '半角英数字・ハイフン・アンダースコアを1〜50文字で入力してください。',
    'email.invalid': 'hanako@example.com のようなメールアドレスを入力してください。',
    'password.invalid': 'パスワードを入力してください。',
    'newPassword.invalid': '10〜1,000文字で入力してください。',
    'confirmation.invalid': 'このページに書かれているとおりにユーザー名を入力してください。',
    'displayName.invalid': '見えない文字を含まない1行、255文字以内で入力してください。',
    'homePage.invalid': 'https:// または http:// で始まるアドレスを入力するか、空欄にしてください。',
    'about.invalid': '10,000文字以内で入力してください。',
    'login.invalid': 'ユーザー名またはメールアドレスを入力してください。',
    'user.name-taken': 'この名前は使われています。別の名前を選んでください。',
    'user.name-reserved': 'この名前は使えません。別の名前を選んでください。',
    'user.name-differs': 'あなたのユーザー名と一致しません。',
    'user.email-taken': 'このメールアドレスのアカウントはすでにあります。',
    'user.not-found': 'このアカウントはもうありません。',
    'password.wrong': 'パスワードが正しくありません。',
    'password.easy-to-guess':
      '推測されやすいパスワードです。自分だけの単語を四つ並べるなど、別のものを選んでください。',
    'sign-in.refused': '名前またはパスワードが正しくありません。',
    'sign-in.too-many': '試行回数が多すぎます。15分ほど待ってからもう一度お試しください。',
    'sign-in.too-old': 'ログインから10分以上たっています。一度ログアウトし、ログインし直してからお試しください。',
    'identity.expired':
      'フォームの有効期限が切れたか、すでに送信されています。もう一度連携先のサービスからログインしてください。',
    'identity.taken': 'このサービスのアカウントはすでに登録されています。そのアカウントでログインしてください。',
    'identity.last':
      'ほかにログインする方法がないため解除できません。先にパスワードを設定するか、別のサービスを連携してください。',
    'identity.not-found': 'すでに連携が解除されています。',
  },
};
