import type { Texts } from '../pages/texts/texts.js';

const en = {
  title: 'Notifications',
  none: 'There are no notifications yet. You are notified of favorites and sales of your products, and when the images of a new material are ready.',
  unread: 'New',
};

/** Texts of the page of notifications. */
export const activitiesTexts: Texts<typeof en> = {
  en,
  ja: {
    title: 'お知らせ',
    none: 'お知らせはまだありません。商品のお気に入りや販売、新しい素材の画像の完成をお知らせします。',
    unread: '新着',
  },
};
