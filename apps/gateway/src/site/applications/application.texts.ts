import type { RedirectUriProblem, Scope } from '#contracts';
import type { Texts } from '../pages/texts/texts.js';

interface ApplicationTexts {
  readonly title: string;
  readonly what: string;
  readonly documentation: string;
  readonly keyTitle: string;
  readonly keyWhat: string;
  readonly keyShow: string;
  readonly keyReplace: string;
  readonly own: string;
  readonly none: string;
  readonly register: string;
  readonly users: (count: number) => string;
  readonly access: string;

  readonly newTitle: string;
  readonly name: string;
  readonly nameHint: string;
  readonly description: string;
  readonly descriptionHint: string;
  readonly homePage: string;
  readonly redirectUris: string;
  readonly redirectUrisHint: string;
  readonly redirectUrisRules: readonly string[];
  readonly line: (number: number) => string;
  readonly reasons: Readonly<Record<RedirectUriProblem, string>>;
  readonly otherReason: string;
  readonly scopes: string;
  readonly read: string;
  readonly write: string;
  readonly writeHint: string;
  readonly answers: string;
  readonly namesIssuer: string;
  readonly namesIssuerHint: string;
  readonly kind: string;
  readonly kindHint: string;
  readonly kinds: Readonly<Record<'confidential' | 'public', readonly [name: string, when: string]>>;
  readonly submitNew: string;
  readonly back: string;
  readonly errors: Readonly<Record<string, string>>;

  readonly clientId: string;
  readonly usersLabel: string;
  readonly created: string;
  readonly scopeNames: Readonly<Record<Scope, string>>;
  readonly authorizeAddress: string;
  readonly tokenAddress: string;
  readonly edit: string;
  readonly withdrawal: string;
  readonly save: string;

  readonly secretTitle: string;
  readonly secretOnce: string;
  readonly clientSecret: string;
  readonly secretHint: string;
  readonly secretKept: string;

  readonly renewTitle: string;
  readonly renewWarning: string;
  readonly renew: string;
  readonly keepSecret: string;

  readonly deleteTitle: string;
  readonly deleteWarning: (name: string, users: number) => string;
  readonly confirmation: (name: string) => string;
  readonly delete: string;
  readonly keep: string;
}

const people = (count: number): string => (count === 1 ? '1 user' : `${count.toLocaleString('en')} users`);

export const applicationTexts: Texts<ApplicationTexts> = {
  en: {
    title: 'Applications',
    what: 'An application uses the API in the name of the users who allow it. For programs that only you use, your personal key is enough.',
    documentation: 'How to use the API',
    keyTitle: 'Personal API key',
    keyWhat: 'It may do whatever you may do. Show it only where nobody looks over your shoulder.',
    keyShow: 'Show the key',
    keyReplace: 'Replace it',
    own: 'Your applications',
    none: 'You have not registered an application yet. Register one when other people shall use your program: each of them then decides what it may do.',
    register: 'Register an application',
    users: people,
    access: 'Applications that you have allowed',

    newTitle: 'Register an application',
    name: 'Name',
    nameHint: 'Users see it when they are asked to allow the application.',
    description: 'Description (optional)',
    descriptionHint: 'What it does for its users, in a sentence or two.',
    homePage: 'Home page (optional)',
    redirectUris: 'Redirect addresses',
    redirectUrisHint: 'Where users come back to after they were asked. One in each line, at most 10.',
    redirectUrisRules: [
      'https with any host: https://app.example.com/callback',
      'http on the user’s own machine only, with any port: http://127.0.0.1/callback',
      'a scheme of your own that is a reversed domain name: com.example.app:/callback',
    ],
    line: (number) => `Line ${number}`,
    reasons: {
      length: 'It is longer than 2,000 characters.',
      fragment: 'It must not have a # and what follows it.',
      wildcard: 'It must not have a *: every address is written out.',
      characters:
        'It has a character that an address cannot have, such as a space, a backslash or a letter beyond a to z.',
      relative: 'It is not a complete address: it begins with https:// or another scheme.',
      credentials: 'It must not hold a user name or a password.',
      http: 'Use https. Only 127.0.0.1, [::1] and localhost may be reached over http.',
      scheme: 'Use https, or a scheme with a dot that is your own reversed domain name, such as com.example.app.',
      spelling: 'Write it in its plain form: a host in small letters, no default port, no ../ in the path.',
      parameters: 'Its query must not hold code, state, iss or error: we add those when we answer.',
      repeated: 'It is there twice.',
    },
    otherReason: 'It is none of the kinds above.',
    scopes: 'What it may do',
    read: 'Read (always): see what its users see.',
    write: 'Write: act in their name, too',
    writeHint: 'Upload, change, publish, favor. Ask for it only if you need it: users are told.',
    answers: 'How we answer it',
    namesIssuer: 'Name the issuer: add “iss” to the answer (RFC 9207)',
    namesIssuerHint:
      'For a program that signs its users in at several services and checks which one has answered. Leave it off for Auth.js, next-auth, and every library that was not told the issuer: they reject an answer that has it.',
    kind: 'Where it runs',
    kindHint: 'This cannot be changed later.',
    kinds: {
      confidential: [
        'On a server of mine (confidential)',
        'Nobody else can look into it, so that it can keep a secret. It gets one, and proves with it that it is your application.',
      ],
      public: [
        'With its users (public)',
        'In a browser, on a phone, on their computer. Whatever is in it can be read by anybody, so it gets no secret; PKCE (S256) takes its place.',
      ],
    },
    submitNew: 'Register',
    back: 'Back to your applications',
    errors: {
      'name.invalid': 'Enter a name of one line, up to 100 characters, without invisible ones.',
      'description.invalid': 'Use at most 1,000 characters.',
      'homePage.invalid':
        'Enter an address that begins with https:// or http:// and has no user name in it, or nothing.',
      'redirectUris.invalid': 'Enter 1 to 10 addresses of at most 2,000 characters, one in each line.',
      'redirect-uri.invalid': 'Some redirect addresses cannot be used.',
      'kind.invalid': 'Choose where the application runs.',
      'application.too-many': 'You have 100 applications, which is as many as there can be. Delete one first.',
      'confirmation.invalid': 'This is not the name. Type it as it stands above.',
    },

    clientId: 'Client id',
    usersLabel: 'Users',
    created: 'Registered',
    scopeNames: { read: 'read', write: 'write' },
    authorizeAddress: 'Address to ask users at',
    tokenAddress: 'Address to get tokens at',
    edit: 'Change it',
    withdrawal: 'If you take “write” away, the tokens that have it stop working at once.',
    save: 'Save',

    secretTitle: 'Your client secret',
    secretOnce: 'This is the only time that we can show it. Copy it now.',
    clientSecret: 'Client secret',
    secretHint: 'Keep it like a password: on your server, out of your repository and out of logs.',
    secretKept: 'I have copied it',

    renewTitle: 'New client secret',
    renewWarning:
      'The old secret stops working at once: until your server has the new one, it gets no tokens. Tokens that it has already go on working.',
    renew: 'Make a new secret',
    keepSecret: 'Keep the old one',

    deleteTitle: 'Delete the application',
    deleteWarning: (name, users) =>
      `${name} and all its tokens stop working at once, for ${people(users)}. This cannot be undone.`,
    confirmation: (name) => `Type its name to confirm: ${name}`,
    delete: 'Delete it',
    keep: 'Keep it',
  },
  ja: {
    title: 'アプリケーション',
    what: 'アプリケーションは、許可したユーザーに代わってAPIを利用します。自分だけが使うプログラムなら、個人用のAPIキーで十分です。',
    documentation: 'APIの使い方',
    keyTitle: '個人用のAPIキー',
    keyWhat: 'あなたにできることがすべてできるキーです。他の人に画面を見られない場所で表示してください。',
    keyShow: 'キーを表示',
    keyReplace: 'キーを再発行',
    own: '登録したアプリケーション',
    none: '登録したアプリケーションはまだありません。ほかの人にも使ってもらうプログラムを作るときに登録してください。何を許可するかは、使う人がそれぞれ決めます。',
    register: 'アプリケーションを登録',
    users: (count) => `ユーザー ${count.toLocaleString('ja')}人`,
    access: '連携中のアプリケーション',

    newTitle: 'アプリケーションを登録',
    name: '名前',
    nameHint: '許可を求める画面でユーザーに表示されます。',
    description: '説明（任意）',
    descriptionHint: 'ユーザーに何ができるのか、1〜2文で書いてください。',
    homePage: 'ホームページ（任意）',
    redirectUris: 'リダイレクト先のアドレス',
    redirectUrisHint: '許可の画面のあとにユーザーが戻るアドレスです。1行に1件、10件まで入力できます。',
    redirectUrisRules: [
      'https（ホストは自由）：https://app.example.com/callback',
      'http（ユーザー自身の端末のみ、ポートは自由）：http://127.0.0.1/callback',
      '逆順のドメイン名による独自のスキーム：com.example.app:/callback',
    ],
    line: (number) => `${number}行目`,
    reasons: {
      length: '2,000文字を超えています。',
      fragment: '「#」以降は含められません。',
      wildcard: '「*」は使えません。アドレスを1件ずつ書いてください。',
      characters: 'アドレスに使えない文字（空白、バックスラッシュ、全角文字など）が含まれています。',
      relative: 'https:// などのスキームから始まる完全なアドレスではありません。',
      credentials: 'ユーザー名やパスワードは含められません。',
      http: 'httpsを使ってください。httpを使えるのは 127.0.0.1、[::1]、localhost だけです。',
      scheme: 'httpsか、com.example.app のような逆順のドメイン名（ドットを含むもの）によるスキームを使ってください。',
      spelling: '標準の書き方にしてください（ホスト名は小文字、既定のポート番号は省略、パスに ../ を含めない）。',
      parameters: 'クエリに code、state、iss、error を含められません。応答のときにこちらで追加する項目です。',
      repeated: '同じアドレスが重複しています。',
    },
    otherReason: '上のどの種類にも当てはまりません。',
    scopes: '利用できる操作',
    read: '読み取り（read、必須）：ユーザーに見える情報の閲覧',
    write: '書き込み（write）：ユーザーの代わりの操作',
    writeHint: 'アップロード・変更・公開・お気に入りなど。ユーザーに表示されるので、必要な場合にだけ選んでください。',
    answers: '応答の形式',
    namesIssuer: '応答に発行者（iss、RFC 9207）を含める',
    namesIssuerHint:
      '複数のサービスでのログインに対応し、どのサービスからの応答かを確かめるプログラムのための設定です。Auth.jsやnext-authなど、発行者を設定していないライブラリではオフにしてください。含まれていると応答が拒否されます。',
    kind: 'アプリケーションが動く場所',
    kindHint: 'あとから変更できません。',
    kinds: {
      confidential: [
        '自分のサーバー（コンフィデンシャル）',
        '中身をほかの人に見られないので、秘密の値を安全に保管できます。クライアントシークレットが発行され、それによって本物のアプリケーションであることを証明します。',
      ],
      public: [
        'ユーザーの手元（パブリック）',
        'ブラウザー、スマートフォン、パソコンで動くもの。中身を誰でも読めるため、シークレットは発行されません。代わりにPKCE（S256）が必要です。',
      ],
    },
    submitNew: '登録',
    back: 'アプリケーション一覧に戻る',
    errors: {
      'name.invalid': '名前を1行、100文字以内で入力してください。見えない文字は使えません。',
      'description.invalid': '1,000文字以内で入力してください。',
      'homePage.invalid':
        'https:// または http:// で始まるアドレス（ユーザー名を含まないもの）を入力するか、空欄にしてください。',
      'redirectUris.invalid': 'アドレスを1行に1件、1〜10件入力してください（1件2,000文字以内）。',
      'redirect-uri.invalid': '使えないリダイレクト先があります。',
      'kind.invalid': 'アプリケーションが動く場所を選んでください。',
      'application.too-many': '登録できるのは100件までです。先に不要なものを削除してください。',
      'confirmation.invalid': '名前が一致しません。上に表示されているとおりに入力してください。',
    },

    clientId: 'クライアントID',
    usersLabel: 'ユーザー数',
    created: '登録日時',
    scopeNames: { read: '読み取り（read）', write: '書き込み（write）' },
    authorizeAddress: '許可を求めるアドレス',
    tokenAddress: 'トークンを取得するアドレス',
    edit: '登録内容の変更',
    withdrawal: '「書き込み」を外すと、書き込みのできるトークンはすぐに使えなくなります。',
    save: '保存',

    secretTitle: 'クライアントシークレット',
    secretOnce: '表示できるのは今回だけです。今すぐコピーしてください。',
    clientSecret: 'クライアントシークレット',
    secretHint: 'パスワードと同じように扱い、サーバーに保管してください。リポジトリーやログには残さないでください。',
    secretKept: 'コピーしました',

    renewTitle: 'クライアントシークレットの再発行',
    renewWarning:
      'これまでのシークレットはすぐに使えなくなり、新しいものをサーバーに設定するまでトークンを取得できません。取得済みのトークンはそのまま使えます。',
    renew: '再発行する',
    keepSecret: '再発行しない',

    deleteTitle: 'アプリケーションを削除',
    deleteWarning: (name, users) =>
      `「${name}」とそのすべてのトークンがすぐに使えなくなります（ユーザー ${users.toLocaleString('ja')}人）。元に戻すことはできません。`,
    confirmation: (name) => `確認のため名前を入力してください：${name}`,
    delete: '削除する',
    keep: '削除しない',
  },
};

/** What has just been done, by the word for it in an address: anybody can write that, and so these are all there are. */
export const doneTexts = {
  en: {
    registered: 'The application is registered.',
    renewed: 'The application has a new secret. The old one is dead.',
    saved: 'The changes are saved.',
    deleted: 'The application is deleted.',
  },
  ja: {
    registered: 'アプリケーションを登録しました。',
    renewed: '新しいシークレットを発行しました。これまでのものは使えません。',
    saved: '変更を保存しました。',
    deleted: 'アプリケーションを削除しました。',
  },
} as const satisfies Texts<Readonly<Record<string, string>>>;
