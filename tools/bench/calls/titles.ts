import type { Random } from '../../../e2e/load/random.js';

// The cost of a search depends on the frequency of its words: some are in every tenth title, some
// in fewer than one of a thousand
const places = ['海辺', '海辺', '海辺', '夜空', '夜空', '森', '街角', '月夜', '砂漠', '宇宙', '屋根', '幽霊'];
const beings = [
  ...['猫', '猫', '猫', '猫', '犬', '犬', '犬', '鯨', '鯨', '梟', '狐', '熊', 'うさぎ', 'うさぎ', 'ペンギン', 'くま'],
  ...['ロボット', '忍者', '金魚', 'ダイナソー'],
];
const adjectives = ['Midnight', 'Little', 'Happy', 'Sleepy', 'Golden', 'Quiet', 'Electric', 'Lonely', 'Blue', 'Wild'];
const nouns = [
  'Tiger',
  'Whale',
  'Robot',
  'Garden',
  'Sunset',
  'Coffee',
  'Mountain',
  'Cat',
  'Rocket',
  'Piano',
  'Fox',
  'Moon',
];
const rareWords = ['龘', 'Zyzzyva', '麒麟', 'Quokka', 'ナマケモノ'];

/** Titles with a rare word, per thousand. */
const rarePerMille = 2;

/** Word in the oldest twentieth of the titles only, so that a search scans all newer ones. */
const wordOfOldTitles = 'Vintage';
/** Character in the oldest title only. */
const characterOfOldestTitle = '鱻';

/**
 * Returns a realistic title of material `n`: half are Japanese, a third have a number, few have a
 * rare word.
 */
export function titleOf(random: Random, n: number, materials: number): string {
  const old = n === 0 ? ` ${characterOfOldestTitle}` : n < materials / 20 ? ` ${wordOfOldTitles}` : '';
  const words = random.next() < 0.5 ? japanese(random) : english(random);
  const rare = random.below(1_000) < rarePerMille ? ` ${random.of(rareWords)}` : '';
  return `${words}${rare}${old}${random.next() < 0.35 ? ` ${n % 1_000}` : ''}`;
}

const japanese = (random: Random): string =>
  random.next() < 0.6
    ? `${random.of(places)}の${random.of(beings)}`
    : `${random.of(beings)}と${random.of(beings)}の${random.of(['夢', '旅', '休日', '会話'])}`;

const english = (random: Random): string =>
  `${random.of(adjectives)} ${random.of(nouns)}${random.next() < 0.3 ? ` ${random.of(['Club', 'Days', 'Song', 'Story'])}` : ''}`;
