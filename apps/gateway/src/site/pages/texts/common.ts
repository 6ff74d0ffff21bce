import type { Texts } from './texts.js';

interface CommonTexts {
  readonly shop: string;
  readonly skip: string;
  readonly search: string;
  readonly searchHint: string;
  readonly signIn: string;
  readonly signUp: string;
  readonly signOut: string;
  readonly notifications: string;
  /** Follows the number of unread notifications, for screen readers. */
  readonly unread: string;
  readonly create: string;
  readonly materials: string;
  readonly favorites: string;
  readonly lists: string;
  readonly applications: string;
  readonly documentation: string;
  readonly guide: string;
  readonly otherLanguage: string;
  /** Prefix of the title of a page with form errors. */
  readonly error: string;
  readonly redirecting: string;
  /** Instead of an image that cannot be loaded. */
  readonly noImage: string;
  readonly continue: string;
  /** Label of the link to the operator. */
  readonly contact: string;
  /** Label of the navigation, for screen readers. */
  readonly menu: string;
  /** Separator between two sentences. */
  readonly gap: string;
  /** Separator between the parts of a list. */
  readonly comma: string;
  /** Separator between a label and its value. */
  readonly colon: string;
}

/** Texts of the layout of every page. */
export const commonTexts: Texts<CommonTexts> = {
  en: {
    shop: 'Storefront',
    skip: 'Skip to main content',
    search: 'Search',
    searchHint: 'Search products',
    signIn: 'Sign in',
    signUp: 'Sign up',
    signOut: 'Sign out',
    notifications: 'Notifications',
    unread: ' unread',
    create: 'Create',
    materials: 'Materials',
    favorites: 'Favorites',
    lists: 'Lists',
    applications: 'Applications',
    documentation: 'API documentation',
    guide: 'Guide for clients',
    otherLanguage: '日本語',
    error: 'Error',
    redirecting: 'Redirecting',
    noImage: 'This image is not available.',
    continue: 'Continue',
    contact: 'Contact',
    menu: 'Main menu',
    gap: ' ',
    comma: ', ',
    colon: ': ',
  },
  ja: {
    shop: 'Storefront',
    skip: '本文へ移動',
    search: '検索',
    searchHint: '商品を検索',
    signIn: 'サインイン',
    signUp: '新規登録',
    signOut: 'サインアウト',
    notifications: 'お知らせ',
    unread: '件の未読',
    create: '商品を作る',
    materials: '素材',
    favorites: 'お気に入り',
    lists: 'リスト',
    applications: 'アプリケーション',
    documentation: 'APIドキュメント',
    guide: 'クライアント開発ガイド',
    otherLanguage: 'English',
    error: 'エラー',
    redirecting: 'ページを移動しています',
    noImage: 'この画像は表示できません。',
    continue: '次へ進む',
    contact: 'お問い合わせ先',
    menu: 'メインメニュー',
    gap: '',
    comma: '、',
    colon: '：',
  },
};
