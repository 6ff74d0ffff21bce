import type { ProblemCode } from '#contracts';
import type { Texts } from '../pages/texts/texts.js';

interface ProblemTexts {
  readonly title: string;
  readonly intro: string;
  readonly status: (status: number) => string;
  /** Advice by HTTP status, as HTML. */
  readonly advice: Readonly<Record<number, string>>;
  /** Advice on errors that the advice on their status would mislead about. */
  readonly adviceByCode: { readonly [Code in ProblemCode]?: string };
  readonly all: string;
  readonly documentation: string;
}

export const problemTexts: Texts<ProblemTexts> = {
  en: {
    title: 'Error codes',
    intro: 'The field <code>code</code> of an error of the API, by HTTP status.',
    status: (status) => `HTTP status ${status}`,
    advice: {
      400: 'Correct the fields listed in <code>errors</code>. Do not retry the request unchanged.',
      401: 'Send a valid access token with the scopes of the operation in the header <code>Authorization: Bearer</code>.',
      403: 'Use an access token of the owner, or a resource of your own.',
      404: 'Check the path and its identifiers. The resource does not exist, was deleted, or is not visible to you.',
      405: 'Use one of the methods listed in the header <code>Allow</code>.',
      408: 'Retry the request without pauses, or with a smaller body.',
      409: 'Use another name, address or idempotency key, or wait until the first request with the key has completed.',
      410: 'Read the resources again, and continue with a new cursor.',
      413: 'Send a smaller body. Instead of the image of a material, its URL can be sent.',
      415: 'Send the body as JSON, with <code>Content-Type: application/json</code>.',
      416: 'Request a range below the size in <code>Content-Range</code>, or omit <code>Range</code>.',
      422: 'Correct the request as described in <code>detail</code> and <code>errors</code>: it is well-formed, but violates a rule.',
      429: 'Retry the request after the number of seconds in the header <code>Retry-After</code>.',
      431: 'Send fewer or shorter headers.',
      500: 'Report the <code>requestId</code> to the operator. The request itself may be correct.',
      501: 'Request the format named in <code>detail</code>.',
      503: 'Retry the request after the number of seconds in the header <code>Retry-After</code>.',
      504: 'Retry the request. With the same <code>Idempotency-Key</code> it is executed at most once.',
    },
    adviceByCode: {
      'webhook-endpoint.not-enabled': 'Enable the endpoint, and send the request again.',
      'webhook-delivery.pending': 'Wait for the attempt, or replay the delivery after it has ended.',
      'form.not-ours': 'Reload the page and send the form again.',
      'request.operator-only': 'Only the operator can send this request.',
      'application.not-allowed':
        'Send the personal API key of the user, or use the pages of the shop. A token granted to an application is rejected, whatever its scopes.',
    },
    all: 'All error codes',
    documentation: 'API documentation',
  },
  ja: {
    title: 'エラーコード',
    intro: 'APIのエラーの <code>code</code> を、HTTPステータスごとにまとめています。',
    status: (status) => `HTTPステータス ${status}`,
    advice: {
      400: '<code>errors</code> に示された項目を修正してください。同じリクエストを再送しても成功しません。',
      401: '操作に必要なスコープを持つ有効なアクセストークンを、<code>Authorization: Bearer</code> ヘッダーで送ってください。',
      403: '所有者のアクセストークンを使うか、自分のリソースを指定してください。',
      404: 'パスとIDを確認してください。リソースが存在しないか、削除されたか、公開されていません。',
      405: '<code>Allow</code> ヘッダーに示されたメソッドを使ってください。',
      408: '途中で止めずに、またはより小さい本文で、リクエストを再送してください。',
      409: '別の名前、アドレス、冪等キーを使うか、同じキーの最初のリクエストが完了するまで待ってください。',
      410: 'リソースを読み直し、新しいカーソルから続けてください。',
      413: '本文を小さくしてください。素材の画像はURLでも指定できます。',
      415: '本文をJSONで、<code>Content-Type: application/json</code> を付けて送ってください。',
      416: '<code>Content-Range</code> のサイズより小さい範囲を指定するか、<code>Range</code> を省略してください。',
      422: 'リクエストの形式は正しいものの、規則に反しています。<code>detail</code> と <code>errors</code> に従って修正してください。',
      429: '<code>Retry-After</code> ヘッダーの秒数だけ待ってから、再送してください。',
      431: 'ヘッダーの数か長さを減らしてください。',
      500: '<code>requestId</code> を運営者にお知らせください。リクエスト自体は正しい可能性があります。',
      501: '<code>detail</code> に示された形式をリクエストしてください。',
      503: '<code>Retry-After</code> ヘッダーの秒数だけ待ってから、再送してください。',
      504: 'リクエストを再送してください。同じ <code>Idempotency-Key</code> なら、実行されるのは最大1回です。',
    },
    adviceByCode: {
      'webhook-endpoint.not-enabled': 'エンドポイントを有効にしてから、もう一度リクエストしてください。',
      'webhook-delivery.pending': '送信が終わるまで待ってから、再送してください。',
      'form.not-ours': 'ページを再読み込みして、もう一度フォームを送信してください。',
      'request.operator-only': 'このリクエストを送信できるのは運営者だけです。',
      'application.not-allowed':
        'ユーザーの個人用APIキーを送るか、サイトの画面で操作してください。アプリケーションに許可されたトークンは、スコープにかかわらず使えません。',
    },
    all: 'すべてのエラーコード',
    documentation: 'APIドキュメント',
  },
};
