import type { Texts } from '../pages/texts/texts.js';

const en = {
  title: 'Your favorites',
  none: 'You have no favorites yet. Press the heart on a product to add it here.',
  browse: 'Browse products',
  done: { removed: 'The product has been removed from your favorites.' } as Readonly<Record<string, string>>,
};

/** Texts of the page with the user's favorites. */
export const favoritesTexts: Texts<typeof en> = {
  en,
  ja: {
    title: 'お気に入り',
    none: 'お気に入りはまだありません。商品のハートを押すと、ここに追加されます。',
    browse: '商品を見る',
    done: { removed: '商品をお気に入りから外しました。' },
  },
};
