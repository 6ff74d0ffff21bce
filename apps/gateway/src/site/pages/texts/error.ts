import { limits } from '#contracts';
import type { Texts } from './texts.js';

interface ErrorTexts {
  /** By problem code, else by status. */
  readonly titles: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, string>>;
  readonly home: string;
  /** Link to the page with the form that was submitted. */
  readonly back: string;
  readonly requestId: string;
}

/** Texts of the error page. */
export const errorTexts: Texts<ErrorTexts> = {
  en: {
    titles: {
      400: 'This address is not valid',
      403: 'You do not have access',
      404: 'Page not found',
      405: 'This address cannot be opened directly',
      408: 'The upload took too long',
      409: 'This is not possible right now',
      413: 'The request is too large',
      415: 'This format is not supported',
      422: 'This request could not be completed',
      429: 'Too many attempts',
      503: 'The service is temporarily unavailable',
      504: 'The request timed out',
      'form.not-ours': 'This form has expired',
      'product.not-found': 'Product not found',
      'choice.full': 'This list is full',
      'rate-limit.exceeded': 'Too many changes',
      other: 'Something went wrong',
    },
    details: {
      400: 'Check the address, or start again from the home page.',
      403: 'It may belong to another account. Check which account you are signed in with.',
      404: 'Check the address. The page may have been deleted, or it may not be public.',
      405: 'Open the page with the form or the link, and try again from there.',
      408: 'Check your connection, then try again.',
      409: 'Nothing was changed. Wait a moment, then try again.',
      413: 'Nothing was changed. Shorten the text or use a smaller file, then try again.',
      415: 'Open the page with the form, and submit it from there.',
      422: 'Nothing was changed. Go back to the page, and check what you entered.',
      429: 'Wait up to 15 minutes, then try again.',
      503: 'Try again in a moment.',
      504: 'Try again in a moment.',
      'product.not-found': 'Check the address. The product may have been deleted, or it may not be public.',
      'choice.full': `A list can have at most ${limits.choiceProducts} products. Remove one first, or use another list.`,
      'form.not-ours': 'Nothing was changed. Open the page with the form again, then submit it from there.',
      'webhook-endpoint.not-enabled': 'The webhook is paused or disabled. Resume it, then try again.',
      'webhook-delivery.pending': 'This delivery is already waiting to be sent.',
      'rate-limit.exceeded':
        'Nothing was changed, because you have made too many changes in a short time. Wait a few minutes, then try again.',
      other: 'The problem is on our side. If it continues, contact us with the request ID below.',
    },
    home: 'Go to the home page',
    back: 'Back to the page',
    requestId: 'Request ID',
  },
  ja: {
    titles: {
      400: 'アドレスが正しくありません',
      403: 'この操作は許可されていません',
      404: 'ページが見つかりません',
      405: 'このアドレスは直接開けません',
      408: 'アップロードに時間がかかりすぎました',
      409: '現在この操作はできません',
      413: '送信されたデータが大きすぎます',
      415: '対応していない形式です',
      422: 'この操作を完了できませんでした',
      429: '試行回数が上限に達しました',
      503: '現在、一時的にご利用いただけません',
      504: '処理がタイムアウトしました',
      'form.not-ours': 'フォームの有効期限が切れました',
      'product.not-found': '商品が見つかりません',
      'choice.full': 'リストがいっぱいです',
      'rate-limit.exceeded': '短時間に多くの変更がありました',
      other: 'エラーが発生しました',
    },
    details: {
      400: 'アドレスをご確認いただくか、トップページからやり直してください。',
      403: '別のアカウントのものである可能性があります。サインイン中のアカウントをご確認ください。',
      404: 'アドレスをご確認ください。ページが削除されたか、公開されていない可能性があります。',
      405: 'フォームまたはリンクのあるページを開き、そこから操作してください。',
      408: '接続を確認して、もう一度お試しください。',
      409: '変更は保存されていません。少し待ってから、もう一度お試しください。',
      413: '変更は保存されていません。テキストを短くするか、小さいファイルに替えて、もう一度お試しください。',
      415: 'フォームのあるページを開き、そこから送信してください。',
      422: '変更は保存されていません。元のページに戻り、入力内容をご確認ください。',
      429: '最大15分待ってから、もう一度お試しください。',
      503: '少し待ってから、もう一度お試しください。',
      504: '少し待ってから、もう一度お試しください。',
      'product.not-found': 'アドレスをご確認ください。商品が削除されたか、公開されていない可能性があります。',
      'choice.full': `リストに追加できる商品は${limits.choiceProducts}点までです。商品を外すか、別のリストをお使いください。`,
      'form.not-ours': '変更は保存されていません。フォームのページを開き直して、もう一度送信してください。',
      'webhook-endpoint.not-enabled': 'このWebhookは一時停止中か無効です。再開してから、もう一度お試しください。',
      'webhook-delivery.pending': 'この配信はすでに送信待ちです。',
      'rate-limit.exceeded': '変更は保存されていません。数分待ってから、もう一度お試しください。',
      other: 'サーバー側で問題が発生しました。解決しない場合は、下のリクエストIDを添えてお問い合わせください。',
    },
    home: 'トップページへ',
    back: '元のページに戻る',
    requestId: 'リクエストID',
  },
};
