import type { Scope } from '#contracts';
import type { Texts } from '../pages/texts/texts.js';
import type { Destination } from './form-target.rules.js';

interface ConsentTexts {
  readonly title: string;
  /** Follows the name of the application without a separator. */
  readonly requestsAccess: string;
  readonly developer: string;
  readonly homePage: string;
  readonly unreviewed: string;
  readonly permissions: string;
  /** Name of a scope's permission, and a sentence that explains it. */
  readonly scopes: Readonly<Record<Scope, readonly [name: string, meaning: string]>>;
  /** Label of the email address that the scope `read` reveals. */
  readonly email: string;
  readonly isNew: string;
  /** For a user who has already allowed some of the scopes. */
  readonly partBefore: string;
  /**
   * For a user who has already allowed all scopes to an application that cannot prove its identity.
   */
  readonly allBefore: string;
  readonly readOnly: string;
  readonly password: string;
  readonly revocable: string;
  readonly sendsTo: Readonly<Record<Destination['kind'], string>>;
  readonly signedInAs: string;
  readonly otherAccount: string;
  readonly allow: string;
  readonly deny: string;
}

export const consentTexts: Texts<ConsentTexts> = {
  en: {
    title: 'Allow access?',
    requestsAccess: ' wants to access your account',
    developer: 'Developer',
    homePage: 'Website',
    unreviewed: 'We do not review applications. Allow access only if you know this application and came here from it.',
    permissions: 'This application would be able to:',
    scopes: {
      read: [
        'View your profile and your work',
        'Your email address, profile, materials and products (including unpublished ones), lists (including secret ones), favorites and notifications.',
      ],
      write: [
        'Make changes on your behalf',
        'Upload, edit and delete materials, set their prices, publish products, add favorites, create lists and edit your profile.',
      ],
    },
    email: 'It would receive this email address:',
    isNew: 'New',
    partBefore: 'You have already allowed some of this. The new permissions are marked.',
    allBefore:
      'You have already allowed this. We ask again because another program could impersonate this application.',
    readOnly: 'It could not change anything.',
    password: 'It never sees your password.',
    revocable: 'You can revoke access at any time.',
    sendsTo: {
      site: 'Your decision is sent to the site',
      device: 'Your decision is sent to a program on your own device, at',
      app: 'Your decision is sent to the app on your device that opens addresses starting with',
    },
    signedInAs: 'You are signed in as',
    otherAccount: 'Use another account',
    allow: 'Allow',
    deny: 'Deny',
  },
  ja: {
    title: 'アクセスを許可しますか？',
    requestsAccess: 'があなたのアカウントへのアクセスを求めています',
    developer: '開発者',
    homePage: 'ウェブサイト',
    unreviewed:
      '当サイトはアプリケーションの審査をしていません。ご存じのアプリケーションから移動してきた場合にだけ許可してください。',
    permissions: '許可すると、次のことができるようになります。',
    scopes: {
      read: [
        'プロフィールと作品の閲覧',
        'メールアドレス、プロフィール、素材と商品（未公開のものを含む）、リスト（非公開のものを含む）、お気に入り、お知らせを閲覧できます。',
      ],
      write: [
        'あなたの代わりに行う変更',
        '素材のアップロード・変更・削除、価格の設定、商品の公開、お気に入りへの追加、リストの作成、プロフィールの変更ができます。',
      ],
    },
    email: '伝わるメールアドレス：',
    isNew: '新規',
    partBefore:
      'このアプリケーションには、すでに一部を許可しています。「新規」と表示された権限が新たに求められています。',
    allBefore:
      'すでに許可した内容です。別のプログラムがこのアプリケーションになりすますおそれがあるため、あらためて確認しています。',
    readOnly: '変更の操作はできません。',
    password: 'パスワードが知られることはありません。',
    revocable: '許可はいつでも取り消せます。',
    sendsTo: {
      site: '回答の送信先サイト：',
      device: '回答の送信先（お使いの端末上のプログラム）：',
      app: '回答の送信先（次で始まるアドレスを開く、お使いの端末のアプリ）：',
    },
    signedInAs: 'サインイン中のアカウント：',
    otherAccount: '別のアカウントを使う',
    allow: '許可する',
    deny: '許可しない',
  },
};

interface AuthorizationErrorTexts {
  readonly title: string;
  /** By OAuth error code. */
  readonly reasons: Readonly<Record<string, string>> & { readonly other: string };
  readonly advice: string;
  readonly details: string;
  readonly home: string;
}

export const authorizationErrorTexts: Texts<AuthorizationErrorTexts> = {
  en: {
    title: 'This application cannot connect to your account',
    reasons: {
      invalid_client: 'No application has the client ID in the address. It may have been deleted.',
      invalid_request: 'The address that brought you here has a missing or invalid parameter.',
      other: 'The application that sent you here has made an invalid request.',
    },
    advice:
      'You did nothing wrong, and none of your data was shared. Go back to the application, or send the details below to its developer.',
    details: 'Details for the developer',
    home: 'Go to the home page',
  },
  ja: {
    title: 'このアプリケーションには接続できません',
    reasons: {
      invalid_client:
        'アドレスのクライアントIDに該当するアプリケーションが見つかりません。削除された可能性があります。',
      invalid_request: 'アプリケーションから渡されたアドレスに、不足しているか正しくないパラメーターがあります。',
      other: 'アプリケーションからのリクエストに誤りがあります。',
    },
    advice:
      'お客様の操作に問題はなく、情報は誰にも渡されていません。アプリケーションに戻るか、下の内容を開発者にお知らせください。',
    details: 'アプリケーションの開発者向けの情報',
    home: 'トップページへ',
  },
};
