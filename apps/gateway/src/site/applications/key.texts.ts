import type { Texts } from '../pages/texts/texts.js';

interface KeyTexts {
  readonly title: string;
  readonly intro: string;
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
  readonly cancel: string;
}

export const keyTexts: Texts<KeyTexts> = {
  en: {
    title: 'Personal API key',
    intro:
      'A program with this key can do everything that you can do through the API. Use it to try things out, and for programs that only you use. Treat it like a password.',
    recent: 'You have no password, so the key is shown only within 10 minutes of signing in.',
    password: 'Current password',
    show: 'Show key',
    hide: 'Hide key',
    replaced: 'This is your new key. The old key no longer works.',
    label: 'API key',
    hint: 'Send it in the header “Authorization: Bearer”, followed by a space and the key.',
    tryIt: 'Try it with this command, which returns your user profile.',
    replace: 'Replace key',
    back: 'Back to your applications',
    replaceTitle: 'Replace API key',
    replaceWarning:
      'You get a new key, and the old key stops working immediately. Programs that use the old key fail until you give them the new one.',
    cancel: 'Cancel',
  },
  ja: {
    title: '個人用のAPIキー',
    intro:
      'このキーを持つプログラムは、あなたがAPIでできることをすべて実行できます。お試し用、または自分だけが使うプログラム用です。パスワードと同じように扱ってください。',
    recent: 'パスワードが設定されていないため、キーはサインインから10分以内に限り表示されます。',
    password: '現在のパスワード',
    show: 'キーを表示',
    hide: 'キーを隠す',
    replaced: '新しいキーを発行しました。これまでのキーは使えません。',
    label: 'APIキー',
    hint: 'ヘッダー「Authorization: Bearer」に続けて、半角スペースとキーを付けて送信してください。',
    tryIt: '次のコマンドで、自分のユーザー情報を取得できます。',
    replace: 'キーを再発行',
    back: 'アプリケーション一覧に戻る',
    replaceTitle: 'APIキーの再発行',
    replaceWarning:
      '新しいキーが発行され、これまでのキーはすぐに使えなくなります。使用中のプログラムは、新しいキーを設定するまで動作しません。',
    cancel: 'キャンセル',
  },
};
