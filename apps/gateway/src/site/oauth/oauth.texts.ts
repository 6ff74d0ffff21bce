import type { Scope } from '#contracts';
import type { Texts } from '../pages/texts/texts.js';
import type { Destination } from './form-target.rules.js';

interface ConsentTexts {
  readonly title: string;
  /** Stands right behind the name of the application. */
  readonly asks: string;
  readonly by: string;
  readonly homePage: string;
  readonly unchecked: string;
  readonly wants: string;
  /** What a scope lets the application do; a second sentence says what that means. */
  readonly scopes: Readonly<Record<Scope, readonly [what: string, meaning: string]>>;
  /** In front of the address that `read` shows. */
  readonly email: string;
  readonly isNew: string;
  /** A part of it was allowed before. */
  readonly partBefore: string;
  /** All of it was: the application cannot prove that it is the same one. */
  readonly allBefore: string;
  readonly readOnly: string;
  readonly password: string;
  readonly takeBack: string;
  readonly goesTo: Readonly<Record<Destination['kind'], string>>;
  readonly signedInAs: string;
  readonly otherAccount: string;
  readonly allow: string;
  readonly deny: string;
}

export const consentTexts: Texts<ConsentTexts> = {
  en: {
    title: 'Allow access?',
    asks: ' asks for access to your account',
    by: 'Made by',
    homePage: 'Home page',
    unchecked: 'We do not check applications. Allow it only if you know it and came here from it.',
    wants: 'It would be allowed to',
    scopes: {
      read: [
        'See your profile and your work',
        'Your e-mail address, profile, materials and products (unpublished ones too), choices (secret ones too), favorites and activities.',
      ],
      write: [
        'Change things in your name',
        'Upload, change and delete materials, set their prices, publish products, favor, make choices, change your profile.',
      ],
    },
    email: 'It gets this e-mail address:',
    isNew: 'new',
    partBefore: 'You have allowed this application a part of it before. What is marked is new.',
    allBefore: 'You have allowed this before. We ask again because another program could pretend to be this one.',
    readOnly: 'It could not change anything.',
    password: 'It never learns your password.',
    takeBack: 'You can take the permission back at any time.',
    goesTo: {
      site: 'Your answer goes to the site',
      device: 'Your answer goes to a program on your own device, at',
      app: 'Your answer goes to the app on your device that opens addresses beginning with',
    },
    signedInAs: 'You are signed in as',
    otherAccount: 'Use another account',
    allow: 'Allow',
    deny: 'Do not allow',
  },
  ja: {
    title: 'アクセスを許可しますか？',
    asks: 'があなたのアカウントへのアクセスを求めています',
    by: '開発者',
    homePage: 'ホームページ',
    unchecked:
      '当サイトはアプリケーションの審査をしていません。ご存じのアプリケーションから移動してきた場合にだけ許可してください。',
    wants: '許可すると、次のことができるようになります',
    scopes: {
      read: [
        'プロフィールと作品の閲覧',
        'メールアドレス、プロフィール、素材と商品（未公開のものを含む）、チョイス（非公開のものを含む）、お気に入り、アクティビティを閲覧できます。',
      ],
      write: [
        'あなたの名前での変更操作',
        '素材のアップロード・変更・削除、価格の設定、商品の公開、お気に入りへの追加、チョイスの作成、プロフィールの変更ができます。',
      ],
    },
    email: '伝わるメールアドレス：',
    isNew: '今回追加',
    partBefore: 'このアプリケーションには、すでに一部を許可しています。印のあるものが今回新しく求められています。',
    allBefore:
      '以前に許可した内容です。別のプログラムがこのアプリケーションになりすますおそれがあるため、あらためて確認しています。',
    readOnly: '変更の操作はできません。',
    password: 'パスワードが知られることはありません。',
    takeBack: '許可はいつでも取り消せます。',
    goesTo: {
      site: '回答の送信先サイト：',
      device: '回答の送信先（お使いの端末上のプログラム）：',
      app: '回答の送信先（次で始まるアドレスを開く、お使いの端末のアプリ）：',
    },
    signedInAs: 'ログイン中のアカウント：',
    otherAccount: '別のアカウントを使う',
    allow: '許可する',
    deny: '許可しない',
  },
};

interface RefusalTexts {
  readonly title: string;
  /** What is wrong, by the error. */
  readonly reasons: Readonly<Record<string, string>> & { readonly other: string };
  readonly blameless: string;
  readonly details: string;
  readonly home: string;
}

export const refusalTexts: Texts<RefusalTexts> = {
  en: {
    title: 'This application cannot be let in',
    reasons: {
      invalid_client: 'There is no application with the number that the address names. It may have been deleted.',
      invalid_request: 'The address that brought you here lacks something, or has something in it that is not right.',
      other: 'The application that sent you here has made a mistake in its question.',
    },
    blameless:
      'It is no mistake of yours, and nothing of yours was shown to anybody. Go back to the application, or tell its makers the lines below.',
    details: 'For the makers of the application',
    home: 'To the front page',
  },
  ja: {
    title: 'このアプリケーションには接続できません',
    reasons: {
      invalid_client: '指定されたアプリケーションが見つかりません。削除された可能性があります。',
      invalid_request: 'アプリケーションから渡されたアドレスに、足りないものか正しくないものがあります。',
      other: 'アプリケーションからの要求に誤りがあります。',
    },
    blameless:
      'あなたの操作に問題はなく、情報は誰にも渡されていません。アプリケーションに戻るか、下の内容を開発者にお伝えください。',
    details: 'アプリケーションの開発者の方へ',
    home: 'トップページへ',
  },
};
