import type { Texts } from './texts.js';

interface ErrorTexts {
  /** By the code of the problem or, without one of its own, by its status. */
  readonly titles: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, string>>;
  readonly home: string;
  readonly requestId: string;
}

export const errorTexts: Texts<ErrorTexts> = {
  en: {
    titles: {
      400: 'The address is not right',
      403: 'You may not do this',
      404: 'There is nothing here',
      405: 'This address works in another way',
      409: 'This cannot be done now',
      413: 'That is too much at once',
      415: 'This cannot be read',
      422: 'This cannot be done',
      429: 'Too many attempts',
      503: 'We are overloaded',
      504: 'This took too long',
      'form.not-ours': 'The form has expired',
      other: 'Something went wrong',
    },
    details: {
      404: 'The address may be mistyped, or what was here has been deleted or is not public.',
      405: 'It belongs to a form or a link of a page. Open that page and go on from there.',
      429: 'Wait a quarter of an hour and try again.',
      503: 'Try again in a moment.',
      504: 'Try again in a moment.',
      'form.not-ours': 'Nothing was changed. Open the page of the form again and send it from there.',
      other: 'It is our mistake. Tell us the number below.',
    },
    home: 'To the front page',
    requestId: 'Number of this request',
  },
  ja: {
    titles: {
      400: 'アドレスが正しくありません',
      403: 'この操作はできません',
      404: 'ページが見つかりません',
      405: 'このアドレスは直接開けません',
      409: '今はこの操作ができません',
      413: 'データが大きすぎます',
      415: '読み取れない形式です',
      422: 'この操作はできません',
      429: '試行回数が多すぎます',
      503: '混み合っています',
      504: '時間がかかりすぎています',
      'form.not-ours': 'フォームの有効期限が切れました',
      other: 'エラーが発生しました',
    },
    details: {
      404: 'アドレスが間違っているか、削除されたか、公開されていません。',
      405: 'フォームまたはリンクから使うアドレスです。元のページを開いて操作してください。',
      429: '15分ほど待ってからもう一度お試しください。',
      503: '少し待ってからもう一度お試しください。',
      504: '少し待ってからもう一度お試しください。',
      'form.not-ours': '変更はされていません。フォームのページを開き直して送信してください。',
      other: '原因はこちらにあります。下の番号をお知らせください。',
    },
    home: 'トップページへ',
    requestId: 'リクエスト番号',
  },
};
