import type { Texts } from '../pages/texts/texts.js';

interface DocsTexts {
  readonly title: string;
  readonly intro: string;
  readonly guide: string;
  readonly guideHint: string;
  readonly problems: string;
  readonly problemsHint: string;
  readonly openApi: string;
  readonly openApiHint: string;
  readonly key: string;
  readonly keyHint: string;
  /** Shown without a script. */
  readonly needsScript: string;
}

export const docsTexts: Texts<DocsTexts> = {
  en: {
    title: 'API documentation',
    intro: 'Create products, favorites and lists from your own programs.',
    guide: 'Guide for clients',
    guideHint: 'First request, OAuth, uploads, image addresses, paging, retries',
    problems: 'Error codes',
    problemsHint: 'Each code with its meaning and what to do',
    openApi: 'OpenAPI document',
    openApiHint: 'All operations, for generators and tools',
    key: 'Your API key and applications',
    keyHint: 'Enter the key, or the client ID of an application, under “Authorize” below',
    needsScript:
      'Trying operations on this page requires JavaScript. The OpenAPI document describes the same operations.',
  },
  ja: {
    title: 'APIドキュメント',
    intro: 'ご自分のプログラムから、商品の作成、お気に入り、リストなどを操作できます。',
    guide: 'クライアント開発ガイド',
    guideHint: '最初のリクエスト、OAuth、アップロード、画像のアドレス、ページ送り、再試行（英語）',
    problems: 'エラーコード',
    problemsHint: '各コードの意味と対処方法',
    openApi: 'OpenAPI文書',
    openApiHint: 'すべての操作の定義。コード生成やツールに（英語）',
    key: 'APIキーとアプリケーション',
    keyHint: 'キーまたはアプリケーションのクライアントIDを、下の「Authorize」に入力します',
    needsScript: 'このページで操作を試すにはJavaScriptが必要です。同じ操作の説明はOpenAPI文書にもあります。',
  },
};
