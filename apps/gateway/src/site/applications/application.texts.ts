import type { RedirectUriProblem, Scope } from '#contracts';
import type { Texts } from '../pages/texts/texts.js';

interface ApplicationTexts {
  readonly title: string;
  readonly intro: string;
  readonly documentation: string;
  readonly keyTitle: string;
  readonly keyIntro: string;
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
  readonly authorizationResponse: string;
  readonly namesIssuer: string;
  readonly namesIssuerHint: string;
  readonly kind: string;
  readonly kindHint: string;
  readonly kinds: Readonly<Record<'confidential' | 'public', readonly [name: string, hint: string]>>;
  readonly submitNew: string;
  readonly back: string;
  readonly errors: Readonly<Record<string, string>>;

  readonly clientId: string;
  readonly usersLabel: string;
  readonly created: string;
  readonly scopeNames: Readonly<Record<Scope, string>>;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly edit: string;
  readonly webhooks: string;
  readonly scopeRemoval: string;
  readonly save: string;

  readonly secretTitle: string;
  readonly secretOnce: string;
  readonly clientSecret: string;
  readonly secretHint: string;
  readonly secretCopied: string;

  readonly renewTitle: string;
  readonly renewWarning: string;
  readonly renew: string;

  readonly deleteTitle: string;
  readonly deleteWarning: (name: string, users: number) => string;
  readonly confirmation: (name: string) => string;
  readonly delete: string;
  readonly cancel: string;
}

const countUsers = (count: number): string => (count === 1 ? '1 user' : `${count.toLocaleString('en')} users`);

export const applicationTexts: Texts<ApplicationTexts> = {
  en: {
    title: 'Applications',
    intro:
      'An application uses the API on behalf of users who allow it. For programs that only you use, your personal API key is enough.',
    documentation: 'Read the API documentation',
    keyTitle: 'Personal API key',
    keyIntro: 'This key can do everything that you can do. Show it only where no one else can see your screen.',
    keyShow: 'Show key',
    keyReplace: 'Replace key',
    own: 'Your applications',
    none: 'You have not registered any applications yet. Register one if other people will use your program. Each of them decides what it can do.',
    register: 'Register an application',
    users: countUsers,
    access: 'Applications with access to your account',

    newTitle: 'Register an application',
    name: 'Name',
    nameHint: 'Shown to users when they are asked to allow access.',
    description: 'Description (optional)',
    descriptionHint: 'Say what it does for its users in one or two sentences.',
    homePage: 'Website (optional)',
    redirectUris: 'Redirect URIs',
    redirectUrisHint: 'Where users return after they allow or deny access. Enter one per line, up to 10.',
    redirectUrisRules: [
      'https with any host: https://app.example.com/callback',
      'http on the user’s own device only, with any port: http://127.0.0.1/callback',
      'A scheme of your own that is a reversed domain name: com.example.app:/callback',
    ],
    line: (number) => `Line ${number}`,
    reasons: {
      length: 'Use at most 2,000 characters.',
      fragment: 'Remove the # and everything after it.',
      wildcard: 'Remove the *. Each redirect URI must be written out in full.',
      characters:
        'Remove characters that a URI cannot contain, such as spaces, backslashes and letters other than a to z.',
      relative: 'Enter a complete URI that starts with https:// or another scheme.',
      credentials: 'Remove the user name and the password.',
      http: 'Use https. Only 127.0.0.1, [::1] and localhost may use http.',
      scheme: 'Use https, or a scheme that is your reversed domain name and contains a dot, such as com.example.app.',
      spelling: 'Use the normalized form: a lowercase host, no default port, no ../ in the path.',
      parameters: 'Remove code, state, iss and error from the query. We add them to the response.',
      repeated: 'Remove this line. The redirect URI is listed twice.',
    },
    otherReason: 'Use one of the formats above.',
    scopes: 'Permissions',
    read: 'Read (always included): see what the user can see',
    write: 'Write: make changes on behalf of the user',
    writeHint: 'Upload, edit, publish and favorite. Request it only if you need it, because users see it.',
    authorizationResponse: 'Authorization response',
    namesIssuer: 'Include the issuer (“iss”, RFC 9207)',
    namesIssuerHint:
      'For programs that sign users in at several services and check which service has responded. Leave this off for Auth.js, next-auth, and every library without a configured issuer: they reject a response that includes one.',
    kind: 'Where it runs',
    kindHint: 'You cannot change this later.',
    kinds: {
      confidential: [
        'On your own server (confidential)',
        'No one else can read its code, so it can keep a secret. It gets a client secret to prove its identity.',
      ],
      public: [
        'On the user’s device (public)',
        'In a browser, on a phone or on a computer. Anyone can read its code, so it gets no client secret and uses PKCE (S256) instead.',
      ],
    },
    submitNew: 'Register',
    back: 'Back to your applications',
    errors: {
      'name.invalid': 'Enter a name of up to 100 characters on one line, without invisible characters.',
      'description.invalid': 'Enter a description of up to 1,000 characters.',
      'homePage.invalid':
        'Enter a website address that starts with https:// or http:// and contains no user name, or leave it empty.',
      'redirectUris.invalid': 'Enter 1 to 10 redirect URIs, one per line, each of up to 2,000 characters.',
      'redirect-uri.invalid': 'Correct the redirect URIs that cannot be used.',
      'kind.invalid': 'Select where the application runs.',
      'application.too-many': 'You have reached the limit of 100 applications. Delete one first.',
      'confirmation.invalid': 'Enter the name of the application exactly as shown on this page.',
    },

    clientId: 'Client ID',
    usersLabel: 'Users',
    created: 'Registered',
    scopeNames: { read: 'read', write: 'write' },
    authorizationEndpoint: 'Authorization endpoint',
    tokenEndpoint: 'Token endpoint',
    edit: 'Edit application',
    webhooks: 'Webhooks for events of its users',
    scopeRemoval: 'If you remove “write”, tokens with this permission stop working immediately.',
    save: 'Save changes',

    secretTitle: 'Client secret',
    secretOnce: 'Copy the client secret now. It will not be shown again.',
    clientSecret: 'Client secret',
    secretHint: 'Treat it like a password: store it on your server, and keep it out of your repository and logs.',
    secretCopied: 'I have copied it',

    renewTitle: 'Replace client secret',
    renewWarning:
      'The old secret stops working immediately. Your server cannot get tokens until it has the new one. Existing tokens keep working.',
    renew: 'Create new secret',

    deleteTitle: 'Delete application',
    deleteWarning: (name, users) =>
      `${name} and all its tokens stop working immediately for ${countUsers(users)}. This cannot be undone.`,
    confirmation: (name) => `To confirm, enter the name of the application: ${name}`,
    delete: 'Delete application',
    cancel: 'Cancel',
  },
  ja: {
    title: 'アプリケーション',
    intro:
      'アプリケーションは、許可したユーザーに代わってAPIを利用します。自分だけが使うプログラムなら、個人用のAPIキーで十分です。',
    documentation: 'APIドキュメントを読む',
    keyTitle: '個人用のAPIキー',
    keyIntro: 'あなたにできることがすべてできるキーです。ほかの人に画面を見られない場所で表示してください。',
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
    descriptionHint: 'ユーザーに何ができるのかを、1〜2文で入力してください。',
    homePage: 'ウェブサイト（任意）',
    redirectUris: 'リダイレクトURI',
    redirectUrisHint: '許可または拒否のあとにユーザーが戻るアドレスです。1行に1件、10件まで入力できます。',
    redirectUrisRules: [
      'https（ホストは自由）：https://app.example.com/callback',
      'http（ユーザー自身の端末のみ、ポートは自由）：http://127.0.0.1/callback',
      '逆順のドメイン名による独自のスキーム：com.example.app:/callback',
    ],
    line: (number) => `${number}行目`,
    reasons: {
      length: '2,000文字以内で入力してください。',
      fragment: '「#」以降を削除してください。',
      wildcard: '「*」は使えません。URIを1件ずつ入力してください。',
      characters: 'URIに使えない文字（空白、バックスラッシュ、全角文字など）を削除してください。',
      relative: 'https:// などのスキームから始まる完全なURIを入力してください。',
      credentials: 'ユーザー名とパスワードを削除してください。',
      http: 'httpsを使ってください。httpを使えるのは 127.0.0.1、[::1]、localhost だけです。',
      scheme: 'httpsか、com.example.app のような逆順のドメイン名（ドットを含むもの）によるスキームを使ってください。',
      spelling: '標準の表記にしてください（ホスト名は小文字、既定のポート番号は省略、パスに ../ を含めない）。',
      parameters: 'クエリから code、state、iss、error を削除してください。応答のときにこちらで追加する項目です。',
      repeated: '同じURIが重複しています。この行を削除してください。',
    },
    otherReason: '上のいずれかの形式で入力してください。',
    scopes: '権限',
    read: '読み取り（read、必須）：ユーザーが見られる情報の閲覧',
    write: '書き込み（write）：ユーザーの代わりに行う変更',
    writeHint: 'アップロード・変更・公開・お気に入りなど。ユーザーに表示されるので、必要な場合にだけ選んでください。',
    authorizationResponse: '認可レスポンス',
    namesIssuer: '発行者（iss、RFC 9207）を含める',
    namesIssuerHint:
      '複数のサービスでのサインインに対応し、どのサービスからの応答かを確かめるプログラムのための設定です。Auth.jsやnext-authなど、発行者を設定していないライブラリではオフにしてください。含まれていると応答が拒否されます。',
    kind: 'アプリケーションが動作する場所',
    kindHint: 'あとから変更はできません。',
    kinds: {
      confidential: [
        '自分のサーバー（コンフィデンシャル）',
        'コードをほかの人に見られないため、秘密の値を安全に保管できます。本物のアプリケーションであることを証明するクライアントシークレットが発行されます。',
      ],
      public: [
        'ユーザーの端末（パブリック）',
        'ブラウザー、スマートフォン、パソコンで動作するもの。誰でもコードを読めるため、クライアントシークレットは発行されません。代わりにPKCE（S256）を使います。',
      ],
    },
    submitNew: '登録',
    back: 'アプリケーション一覧に戻る',
    errors: {
      'name.invalid': '名前は改行や見えない文字を使わずに、100文字以内で入力してください。',
      'description.invalid': '説明は1,000文字以内で入力してください。',
      'homePage.invalid':
        'ウェブサイトは https:// または http:// で始まるアドレス（ユーザー名を含まないもの）を入力するか、空欄にしてください。',
      'redirectUris.invalid': 'リダイレクトURIを1行に1件、1〜10件入力してください（1件2,000文字以内）。',
      'redirect-uri.invalid': '使えないリダイレクトURIを修正してください。',
      'kind.invalid': 'アプリケーションが動作する場所を選んでください。',
      'application.too-many': '登録できるのは100件までです。先に不要なものを削除してください。',
      'confirmation.invalid': 'このページに表示されているとおりに、アプリケーションの名前を入力してください。',
    },

    clientId: 'クライアントID',
    usersLabel: 'ユーザー数',
    created: '登録日時',
    scopeNames: { read: '読み取り（read）', write: '書き込み（write）' },
    authorizationEndpoint: '認可エンドポイント',
    tokenEndpoint: 'トークンエンドポイント',
    edit: '登録内容を編集',
    webhooks: 'ユーザーのイベントを受け取るWebhook',
    scopeRemoval: '「書き込み」を外すと、書き込みのできるトークンはすぐに使えなくなります。',
    save: '変更を保存',

    secretTitle: 'クライアントシークレット',
    secretOnce: 'クライアントシークレットが表示されるのは今回だけです。今すぐコピーしてください。',
    clientSecret: 'クライアントシークレット',
    secretHint: 'パスワードと同じように扱い、サーバーに保管してください。リポジトリーやログには残さないでください。',
    secretCopied: 'コピーしました',

    renewTitle: 'クライアントシークレットの再発行',
    renewWarning:
      'これまでのシークレットはすぐに使えなくなり、新しいものをサーバーに設定するまでトークンを取得できません。取得済みのトークンはそのまま使えます。',
    renew: '再発行する',

    deleteTitle: 'アプリケーションを削除',
    deleteWarning: (name, users) =>
      `「${name}」とそのすべてのトークンがすぐに使えなくなります（ユーザー ${users.toLocaleString('ja')}人）。この操作は取り消せません。`,
    confirmation: (name) => `確認のため、アプリケーションの名前を入力してください：${name}`,
    delete: 'アプリケーションを削除',
    cancel: 'キャンセル',
  },
};

/**
 * Confirmations by the value of the query parameter `done`. Anyone can write that parameter into a
 * link, so other values show no text.
 */
export const doneTexts = {
  en: {
    registered: 'The application has been registered.',
    renewed: 'The application has a new client secret. The old one no longer works.',
    saved: 'Your changes have been saved.',
    deleted: 'The application has been deleted.',
  },
  ja: {
    registered: 'アプリケーションを登録しました。',
    renewed: '新しいシークレットを発行しました。これまでのものは使えません。',
    saved: '変更を保存しました。',
    deleted: 'アプリケーションを削除しました。',
  },
} as const satisfies Texts<Readonly<Record<string, string>>>;
