import type { Texts } from './texts.js';

/**
 * Error texts of form fields: `<field>.invalid` for a value of the wrong shape, else the problem
 * code.
 */
const en = {
  summary: 'Please check the following:',
  'form.invalid': 'The form could not be processed. Reload the page and try again.',
  'form.expired': 'The form or your session had expired, so nothing was saved. Check the form, then submit it again.',
  'rate-limit.exceeded':
    'You have made too many changes in a short time, so this was not saved. Wait a few minutes, then submit the form again.',
  'name.invalid': 'Enter a user name of 1 to 50 letters (a–z), digits, hyphens or underscores.',
  'email.invalid': 'Enter an email address in the format name@example.com.',
  'password.invalid': 'Enter your password.',
  'newPassword.invalid': 'Enter a password of 10 to 1,000 characters.',
  'confirmation.invalid': 'Enter your user name exactly as shown on this page.',
  'displayName.invalid': 'Enter a display name of up to 255 characters on one line, without invisible characters.',
  'avatar.invalid': 'Enter an avatar address that starts with https:// or http://, or leave it empty.',
  'header.invalid': 'Enter a header image address that starts with https:// or http://, or leave it empty.',
  'homePage.invalid': 'Enter a website address that starts with https:// or http://, or leave it empty.',
  'about.invalid': 'Enter up to 10,000 characters about you.',
  'login.invalid': 'Enter your user name or email address.',
  'user.name-taken': 'This user name is taken. Choose another one.',
  'user.name-reserved': 'This user name is reserved. Choose another one.',
  'user.name-differs': 'This does not match your user name.',
  'user.email-taken': 'An account with this email address already exists.',
  'user.not-found': 'This account no longer exists.',
  'link.expired': 'This link has expired or has already been used.',
  'password.wrong': 'Incorrect password. Try again.',
  'password.easy-to-guess': 'This password is easy to guess. Choose another one, such as four unrelated words.',
  'sign-in.refused': 'Incorrect user name, email address or password.',
  'sign-in.too-many': 'Too many attempts. Wait 15 minutes, then try again.',
  'sign-in.too-old':
    'You signed in more than 10 minutes ago. Sign out, sign in again, then repeat this within 10 minutes.',
  'identity.expired': 'This form has expired or was already submitted. Sign in through the other service again.',
  'identity.taken': 'This account of the other service is already in use here. Sign in with it instead.',
  'identity.last': 'This is your only way to sign in. Set a password or link another service first.',
  'identity.not-found': 'This service is no longer linked.',
};
type FormTexts = Readonly<Record<string, string>> & typeof en;

export const formTexts: Texts<FormTexts> = {
  en,
  ja: {
    summary: '入力内容をご確認ください。',
    'form.invalid': 'フォームを処理できませんでした。ページを開き直して、もう一度お試しください。',
    'form.expired':
      'フォームまたはサインインの有効期限が切れていたため、まだ保存されていません。内容を確認して、もう一度送信してください。',
    'rate-limit.exceeded':
      '短時間に多くの変更があったため、保存されていません。数分待ってから、もう一度送信してください。',
    'name.invalid':
      'ユーザー名は半角英数字、ハイフン（-）、アンダースコア（_）を使って、50文字以内で入力してください。',
    'email.invalid': 'メールアドレスを name@example.com の形式で入力してください。',
    'password.invalid': 'パスワードを入力してください。',
    'newPassword.invalid': 'パスワードを10〜1,000文字で入力してください。',
    'confirmation.invalid': 'このページに表示されているとおりに、ユーザー名を入力してください。',
    'displayName.invalid': '表示名は改行や見えない文字を使わずに、255文字以内で入力してください。',
    'avatar.invalid': 'アバター画像は https:// または http:// で始まるアドレスを入力するか、空欄にしてください。',
    'header.invalid': 'ヘッダー画像は https:// または http:// で始まるアドレスを入力するか、空欄にしてください。',
    'homePage.invalid': 'ウェブサイトは https:// または http:// で始まるアドレスを入力するか、空欄にしてください。',
    'about.invalid': '自己紹介は10,000文字以内で入力してください。',
    'login.invalid': 'ユーザー名またはメールアドレスを入力してください。',
    'user.name-taken': 'このユーザー名はすでに使われています。別のユーザー名を入力してください。',
    'user.name-reserved': 'このユーザー名は使用できません。別のユーザー名を入力してください。',
    'user.name-differs': 'ユーザー名が一致しません。',
    'user.email-taken': 'このメールアドレスはすでに登録されています。',
    'user.not-found': 'このアカウントはすでに削除されています。',
    'link.expired': 'このリンクは有効期限が切れているか、すでに使用されています。',
    'password.wrong': 'パスワードが正しくありません。もう一度入力してください。',
    'password.easy-to-guess': '推測されやすいパスワードです。無関係な単語を4つ並べるなど、別のものにしてください。',
    'sign-in.refused': 'ユーザー名（またはメールアドレス）かパスワードが正しくありません。',
    'sign-in.too-many': '試行回数が上限に達しました。15分ほど待ってから、もう一度お試しください。',
    'sign-in.too-old':
      'サインインから10分以上経過しています。サインアウトしてサインインし直し、10分以内に操作してください。',
    'identity.expired':
      'フォームの有効期限が切れたか、すでに送信されています。もう一度、連携先のサービスからサインインしてください。',
    'identity.taken': 'このサービスのアカウントはすでに登録されています。そのアカウントでサインインしてください。',
    'identity.last':
      'ほかにサインインする方法がないため解除できません。先にパスワードを設定するか、別のサービスを連携してください。',
    'identity.not-found': 'このサービスの連携はすでに解除されています。',
  },
};
