import type { Texts } from '../pages/texts/texts.js';

interface KeyTexts {
  readonly title: string;
  readonly what: string;
  /** For users without a password. */
  readonly recent: string;
  readonly password: string;
  readonly show: string;
  readonly hide: string;
  readonly replaced: string;
  readonly label: string;
  readonly hint: string;
  readonly tryIt: string;
  readonly replace: string;
  readonly back: string;
  readonly replaceTitle: string;
  readonly replaceWarning: string;
  readonly replaceNow: string;
  readonly keep: string;
}

export const keyTexts: Texts<KeyTexts> = {
  en: {
    title: 'Personal API key',
    what: 'With this key a program may do whatever you may do through the API. It is for trying things out and for programs that only you use. Keep it like a password.',
    recent: 'You have no password: the key is shown within 10 minutes after you signed in.',
    password: 'Your password',
    show: 'Show the key',
    hide: 'Hide it',
    replaced: 'This is your new key. The old one is dead.',
    label: 'Your key',
    hint: 'Send it in the header “Authorization: Bearer”, with a space before the key.',
    tryIt: 'Try it: this shows who you are.',
    replace: 'Replace the key',
    back: 'Back to your applications',
    replaceTitle: 'Replace your key',
    replaceWarning:
      'You get a new key, and the old one dies at once: every program that uses it stops until you give it the new one.',
    replaceNow: 'Replace it now',
    keep: 'Keep the old one',
  },
  ja: {
    title: '個人用のAPIキー',
    what: 'このキーを持つプログラムは、あなたにできることをAPIですべて実行できます。お試しや、自分だけが使うプログラムのためのものです。パスワードと同じように扱ってください。',
    recent: 'パスワードが設定されていないため、キーはログインから10分以内に限り表示されます。',
    password: 'パスワード',
    show: 'キーを表示',
    hide: '隠す',
    replaced: '新しいキーです。これまでのキーは使えません。',
    label: 'あなたのキー',
    hint: 'ヘッダー「Authorization: Bearer」に、空白に続けて付けて送ってください。',
    tryIt: '次のコマンドで、自分の情報が表示されるか試せます。',
    replace: 'キーを再発行',
    back: 'アプリケーション一覧に戻る',
    replaceTitle: 'APIキーの再発行',
    replaceWarning:
      '新しいキーが発行され、これまでのキーはすぐに使えなくなります。使用中のプログラムは、新しいキーを設定するまで動きません。',
    replaceNow: '再発行する',
    keep: '今のキーを使い続ける',
  },
};
