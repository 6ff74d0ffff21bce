import type { Texts } from './texts.js';

interface CommonTexts {
  readonly shop: string;
  readonly skip: string;
  readonly search: string;
  readonly searchHint: string;
  readonly signIn: string;
  readonly signUp: string;
  readonly signOut: string;
  readonly account: string;
  readonly applications: string;
  readonly documentation: string;
  readonly otherLanguage: string;
  readonly mistake: string;
  readonly goingOn: string;
  readonly goOn: string;
  readonly menu: string;
  /** Between two sentences. */
  readonly gap: string;
  /** Between the parts of a list. */
  readonly comma: string;
  /** Between a word and what it is. */
  readonly colon: string;
}

/** What the frame of every page says. */
export const commonTexts: Texts<CommonTexts> = {
  en: {
    shop: 'Storefront',
    skip: 'Skip to the content',
    search: 'Search',
    searchHint: 'Search products',
    signIn: 'Sign in',
    signUp: 'Sign up',
    signOut: 'Sign out',
    account: 'Your account',
    applications: 'Applications',
    documentation: 'Documentation of the API',
    otherLanguage: '日本語',
    mistake: 'Error',
    goingOn: 'One moment',
    goOn: 'Go on',
    menu: 'Site',
    gap: ' ',
    comma: ', ',
    colon: ': ',
  },
  ja: {
    shop: 'Storefront',
    skip: '本文へ移動',
    search: '検索',
    searchHint: '商品を検索',
    signIn: 'ログイン',
    signUp: '新規登録',
    signOut: 'ログアウト',
    account: 'アカウント',
    applications: 'アプリケーション',
    documentation: 'APIドキュメント',
    otherLanguage: 'English',
    mistake: 'エラー',
    goingOn: '移動しています',
    goOn: '次へ進む',
    menu: 'サイト',
    gap: '',
    comma: '、',
    colon: '：',
  },
};
