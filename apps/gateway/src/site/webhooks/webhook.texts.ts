import type { Language, WebhookDeliveryStatus, WebhookDisabledReason, WebhookEndpoint, WebhookError } from '#contracts';
import type { Texts } from '../pages/texts/texts.js';
import type { OfferedType } from './webhook.form.js';

interface WebhookTexts {
  readonly title: string;
  readonly intro: string;
  readonly titleOf: (application: string) => string;
  readonly introOf: string;
  readonly documentation: string;
  readonly none: string;
  readonly create: string;
  readonly backToAccount: string;
  readonly backToApplication: string;
  readonly back: string;
  readonly ofApplication: (name: string) => string;
  readonly status: string;
  readonly statuses: Readonly<Record<WebhookEndpoint['status'], string>>;
  readonly disabledReasons: Readonly<Record<WebhookDisabledReason, string>>;
  readonly failingSince: string;
  readonly lastDelivery: string;
  readonly noDelivery: string;
  readonly deliveryStatuses: Readonly<Record<WebhookDeliveryStatus, string>>;

  readonly newTitle: string;
  readonly url: string;
  readonly urlHint: string;
  readonly description: string;
  readonly types: string;
  readonly typesHint: string;
  readonly allTypes: string;
  readonly groups: readonly (readonly [name: string, types: readonly OfferedType[]])[];
  readonly typeNames: Readonly<Record<OfferedType, string>>;
  readonly signature: string;
  readonly signatureHint: string;
  readonly submitNew: string;
  readonly errors: Readonly<Record<string, string>>;

  readonly secretTitle: string;
  readonly secretOnce: string;
  readonly secret: string;
  readonly secretHint: string;
  readonly secretCopied: string;
  readonly publicKey: string;
  readonly oldSecret: (until: string) => string;

  readonly events: string;
  readonly created: string;
  readonly edit: string;
  readonly save: string;
  readonly pause: string;
  readonly pauseHint: string;
  readonly resume: string;
  readonly test: string;

  readonly deliveries: string;
  readonly noDeliveries: string;
  readonly onlyFailed: string;
  readonly allDeliveries: string;
  readonly attempt: (number: number) => string;
  readonly duration: (milliseconds: number) => string;
  readonly succeededWith: (status: number) => string;
  readonly errorNames: Readonly<Record<WebhookError, string>>;
  readonly withStatus: (status: number) => string;
  readonly nextAttempt: string;
  readonly replay: string;
  readonly replayOf: (type: string, time: string) => string;
  readonly replayFailed: string;
  readonly since: string;
  readonly periods: Readonly<Record<'hour' | 'day' | 'month', string>>;
  readonly replayAll: string;
  readonly pages: string;
  readonly previous: string;
  readonly next: string;

  readonly rotateTitle: string;
  readonly rotateWarning: string;
  readonly rotate: string;
  readonly deleteTitle: string;
  readonly deleteWarning: string;
  readonly delete: string;
  readonly cancel: string;
}

const milliseconds: Readonly<Record<Language, Intl.NumberFormat>> = {
  en: new Intl.NumberFormat('en-GB', { style: 'unit', unit: 'millisecond' }),
  ja: new Intl.NumberFormat('ja-JP', { style: 'unit', unit: 'millisecond', unitDisplay: 'long' }),
};

const groupsOf = ([content, others, account]: readonly [string, string, string]): WebhookTexts['groups'] => [
  [
    content,
    [
      'material.created',
      'material.updated',
      'material.deleted',
      'material.rendered',
      'product.published',
      'product.unpublished',
    ],
  ],
  [others, ['favorite.placed', 'favorite.withdrawn', 'choice.updated', 'sale.recorded']],
  [account, ['activity.created', 'application.revoked']],
];

export const webhookTexts: Texts<WebhookTexts> = {
  en: {
    title: 'Webhooks',
    intro: 'A webhook endpoint is a URL of yours to which we send events about your account as they happen.',
    titleOf: (application) => `Webhooks of ${application}`,
    introOf:
      'These endpoints receive the events of all users who allow the application to read. Events stop when a user revokes the access.',
    documentation: 'Read the API documentation',
    none: 'There are no webhook endpoints yet.',
    create: 'Add endpoint',
    backToAccount: 'Back to your account',
    backToApplication: 'Back to the application',
    back: 'Back to webhooks',
    ofApplication: (name) => `For the users of ${name}`,
    status: 'Status',
    statuses: { enabled: 'Enabled', paused: 'Paused', disabled: 'Disabled' },
    disabledReasons: {
      failures: 'Every delivery of the last five days has failed. Fix the endpoint, then resume it.',
      'status-410': 'The endpoint responded with status 410, which means that it no longer wants events.',
    },
    failingSince: 'Failing since',
    lastDelivery: 'Last delivery',
    noDelivery: 'None yet',
    deliveryStatuses: {
      pending: 'Pending',
      succeeded: 'Succeeded',
      failed: 'Failed',
      cancelled: 'Canceled: the user has revoked the access',
    },

    newTitle: 'Add webhook endpoint',
    url: 'URL',
    urlHint: 'It must start with https:// and be reachable from the internet, at port 443, 80 or 1024 and above.',
    description: 'Description (optional)',
    types: 'Events',
    typesHint: 'Select the events to send. If you select none, all are sent, including types that we add later.',
    allTypes: 'All events',
    groups: groupsOf(['Materials and products', 'Favorites, lists and sales', 'Account']),
    typeNames: {
      'material.created': 'Material created',
      'material.updated': 'Material or its products changed',
      'material.deleted': 'Material deleted',
      'material.rendered': 'All images of a new material available',
      'product.published': 'Product published',
      'product.unpublished': 'Product no longer public',
      'favorite.placed': 'Favorite added',
      'favorite.withdrawn': 'Favorite removed',
      'choice.updated': 'List created, changed or deleted',
      'sale.recorded': 'Product sold',
      'activity.created': 'New notification',
      'application.revoked': 'Access of an application revoked',
    },
    signature: 'Also sign with a public key (Ed25519, “v1a”)',
    signatureHint: 'For receivers that must not have the secret. You cannot change this later.',
    submitNew: 'Add endpoint',
    errors: {
      'url.invalid': 'Enter a URL that starts with https:// and contains no user name.',
      'description.invalid': 'Enter a description of up to 255 characters.',
      'webhook-endpoint.url-not-allowed':
        'This URL cannot be used. It must start with https://, be reachable from the internet, and have port 443, 80 or 1024 and above.',
      'webhook-endpoint.too-many': 'You have reached the limit of 20 endpoints. Delete one first.',
    },

    secretTitle: 'Signing secret',
    secretOnce: 'Copy the signing secret now. It will not be shown again.',
    secret: 'Signing secret',
    secretHint: 'Your server verifies with it that requests come from us. Treat it like a password.',
    secretCopied: 'I have copied it',
    publicKey: 'Public key',
    oldSecret: (until) => `The previous secret is valid until ${until}.`,

    events: 'Events',
    created: 'Added',
    edit: 'Edit endpoint',
    save: 'Save changes',
    pause: 'Pause',
    pauseHint: 'Events during a pause are not sent later.',
    resume: 'Resume',
    test: 'Send test event',

    deliveries: 'Deliveries of the last 30 days',
    noDeliveries: 'There are no deliveries.',
    onlyFailed: 'Show failed only',
    allDeliveries: 'Show all',
    attempt: (number) => `Attempt ${number}`,
    duration: (duration) => milliseconds.en.format(duration),
    succeededWith: (status) => `succeeded with status ${status}`,
    errorNames: {
      'address-not-allowed': 'the host is not on the public internet',
      'connection-refused': 'the server did not accept the connection',
      dns: 'the host name could not be resolved',
      'no-secret': 'we can no longer sign with the secret; replace it below',
      protocol: 'the response was not valid HTTP',
      redirect: 'the server redirected, which is not followed',
      reset: 'the server closed the connection',
      status: 'the status was not successful',
      timeout: 'no response within 15 seconds',
      tls: 'the TLS certificate or connection was not valid',
      'too-large': 'the response was too large',
      unreachable: 'the server could not be reached',
    },
    withStatus: (status) => ` (status ${status})`,
    nextAttempt: 'Next attempt',
    replay: 'Send again',
    replayOf: (type, time) => `Send again: ${type}, ${time}`,
    replayFailed: 'Send failed events again',
    since: 'Period',
    periods: { hour: 'the last hour', day: 'the last 24 hours', month: 'the last 30 days' },
    replayAll: 'Send again',
    pages: 'Pages',
    previous: 'Newer',
    next: 'Older',

    rotateTitle: 'Replace signing secret',
    rotateWarning:
      'You get a new secret. For 24 hours, requests are signed with both the new and the current secret, so that your server can change without interruption.',
    rotate: 'Create new secret',
    deleteTitle: 'Delete endpoint',
    deleteWarning:
      'The endpoint receives no more events. Its secret, its deliveries and their log are deleted, also of events that are still pending. This cannot be undone.',
    delete: 'Delete endpoint',
    cancel: 'Cancel',
  },
  ja: {
    title: 'Webhook',
    intro: 'Webhookのエンドポイントは、アカウントに関するイベントを発生と同時に受け取る、あなたのURLです。',
    titleOf: (application) => `「${application}」のWebhook`,
    introOf:
      'これらのエンドポイントは、アプリケーションに読み取りを許可したすべてのユーザーのイベントを受け取ります。ユーザーが連携を解除すると、送信は止まります。',
    documentation: 'APIドキュメントを読む',
    none: 'エンドポイントはまだありません。',
    create: 'エンドポイントを追加',
    backToAccount: 'アカウントに戻る',
    backToApplication: 'アプリケーションに戻る',
    back: 'Webhook一覧に戻る',
    ofApplication: (name) => `「${name}」のユーザー向け`,
    status: '状態',
    statuses: { enabled: '有効', paused: '一時停止中', disabled: '無効' },
    disabledReasons: {
      failures: '5日間、すべての送信に失敗しました。エンドポイントを修正してから再開してください。',
      'status-410': 'エンドポイントが、今後の受信を望まないことを示すステータス410を返しました。',
    },
    failingSince: '失敗が始まった日時',
    lastDelivery: '最新の送信',
    noDelivery: 'まだありません',
    deliveryStatuses: {
      pending: '送信待ち',
      succeeded: '成功',
      failed: '失敗',
      cancelled: '中止（ユーザーが連携を解除）',
    },

    newTitle: 'Webhookのエンドポイントを追加',
    url: 'URL',
    urlHint:
      'https:// で始まり、インターネットから接続できるURLを入力してください。使えるポートは443、80、1024以上です。',
    description: '説明（任意）',
    types: 'イベント',
    typesHint: '送信するイベントを選んでください。何も選ばないと、今後追加されるものも含めてすべて送信されます。',
    allTypes: 'すべてのイベント',
    groups: groupsOf(['素材と商品', 'お気に入り・リスト・販売', 'アカウント']),
    typeNames: {
      'material.created': '素材の作成',
      'material.updated': '素材またはその商品の変更',
      'material.deleted': '素材の削除',
      'material.rendered': '新しい素材の全画像の完成',
      'product.published': '商品の公開',
      'product.unpublished': '商品の公開終了',
      'favorite.placed': 'お気に入りの追加',
      'favorite.withdrawn': 'お気に入りの取り消し',
      'choice.updated': 'リストの作成・変更・削除',
      'sale.recorded': '商品の販売',
      'activity.created': '新しいお知らせ',
      'application.revoked': 'アプリケーションの連携解除',
    },
    signature: '公開鍵でも署名する（Ed25519、v1a）',
    signatureHint: 'シークレットを渡せない受信者のための設定です。あとから変更はできません。',
    submitNew: '追加',
    errors: {
      'url.invalid': 'https:// で始まり、ユーザー名を含まないURLを入力してください。',
      'description.invalid': '説明は255文字以内で入力してください。',
      'webhook-endpoint.url-not-allowed':
        'このURLは使えません。https:// で始まり、インターネットから接続できる、ポートが443、80、1024以上のURLを入力してください。',
      'webhook-endpoint.too-many': '追加できるのは20件までです。先に不要なものを削除してください。',
    },

    secretTitle: '署名シークレット',
    secretOnce: '署名シークレットが表示されるのは今回だけです。今すぐコピーしてください。',
    secret: '署名シークレット',
    secretHint: 'リクエストの送信元を確かめるために、サーバーで使います。パスワードと同じように扱ってください。',
    secretCopied: 'コピーしました',
    publicKey: '公開鍵',
    oldSecret: (until) => `これまでのシークレットは${until}まで有効です。`,

    events: 'イベント',
    created: '追加日時',
    edit: 'エンドポイントを編集',
    save: '変更を保存',
    pause: '一時停止',
    pauseHint: '停止中のイベントは、あとから送信されません。',
    resume: '再開',
    test: 'テストイベントを送信',

    deliveries: '過去30日間の送信',
    noDeliveries: '送信はありません。',
    onlyFailed: '失敗のみ表示',
    allDeliveries: 'すべて表示',
    attempt: (number) => `${number}回目`,
    duration: (duration) => milliseconds.ja.format(duration),
    succeededWith: (status) => `成功（ステータス${status}）`,
    errorNames: {
      'address-not-allowed': 'ホストがインターネット上にありません',
      'connection-refused': 'サーバーが接続を受け付けませんでした',
      dns: 'ホスト名が見つかりません',
      'no-secret': '署名用のシークレットが使えなくなりました。下で再発行してください',
      protocol: 'HTTPとして正しくない応答でした',
      redirect: 'リダイレクトされました（転送先には送信しません）',
      reset: 'サーバーが接続を切断しました',
      status: '成功以外のステータスでした',
      timeout: '15秒以内に応答がありませんでした',
      tls: 'TLSの証明書または接続が正しくありません',
      'too-large': '応答が大きすぎました',
      unreachable: 'サーバーに接続できませんでした',
    },
    withStatus: (status) => `（ステータス${status}）`,
    nextAttempt: '次の送信',
    replay: '再送',
    replayOf: (type, time) => `再送：${type}、${time}`,
    replayFailed: '失敗したイベントを再送',
    since: '対象',
    periods: { hour: '過去1時間', day: '過去24時間', month: '過去30日間' },
    replayAll: '再送する',
    pages: 'ページ',
    previous: '新しい送信',
    next: '古い送信',

    rotateTitle: '署名シークレットの再発行',
    rotateWarning:
      '新しいシークレットを発行します。24時間は新旧両方のシークレットで署名するので、サーバーを止めずに切り替えられます。',
    rotate: '再発行する',
    deleteTitle: 'エンドポイントを削除',
    deleteWarning:
      '今後イベントは送信されません。シークレットと送信の記録は、送信待ちのイベントも含めて削除されます。この操作は取り消せません。',
    delete: 'エンドポイントを削除',
    cancel: 'キャンセル',
  },
};

/** Confirmations by the value of the query parameter `done`. */
export const doneTexts = {
  en: {
    created: 'The endpoint has been added.',
    rotated: 'The endpoint has a new secret.',
    saved: 'Your changes have been saved.',
    paused: 'The endpoint has been paused.',
    resumed: 'The endpoint has been resumed.',
    tested: 'The test event is being sent.',
    replayed: 'The event is being sent again.',
    'replayed-failed': 'The failed events are being sent again.',
    deleted: 'The endpoint has been deleted.',
  },
  ja: {
    created: 'エンドポイントを追加しました。',
    rotated: '新しいシークレットを発行しました。',
    saved: '変更を保存しました。',
    paused: 'エンドポイントを一時停止しました。',
    resumed: 'エンドポイントを再開しました。',
    tested: 'テストイベントを送信しています。',
    replayed: 'イベントを再送しています。',
    'replayed-failed': '失敗したイベントを再送しています。',
    deleted: 'エンドポイントを削除しました。',
  },
} as const satisfies Texts<Readonly<Record<string, string>>>;
