import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { withLineMetrics } from './line-metrics.rules.js';

const { resolve } = createRequire(import.meta.url);

/** Fonts that are used unchanged. Each is in its own folder, without its other weights. */
const unchangedFonts = [
  resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-jp/700Bold/NotoSansJP_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-kr/700Bold/NotoSansKR_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-hebrew/700Bold/NotoSansHebrew_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-color-emoji/400Regular/NotoColorEmoji_400Regular.ttf'),
];

/**
 * Fonts whose line metrics are changed, because their descent is larger than that of the others. In
 * a line that begins with a Japanese character Pango aligns all fonts at the lower edges of their
 * lines, so words in these fonts were too high: by half a letter in Arabic.
 */
const adjustedFonts = [
  resolve('@expo-google-fonts/noto-sans-arabic/700Bold/NotoSansArabic_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf'),
];
/**
 * `below` is the descent of the other fonts. `above` reserves space for marks above letters.
 */
const line = { above: 1.3, below: 0.29 };

/** Paths of all fonts in which texts are rendered. */
export const fontFiles: readonly string[] = [...unchangedFonts, ...adjustedFonts];

/**
 * Configuration of fontconfig with these fonts only, so that a text looks the same on every
 * machine.
 */
export interface FontConfiguration {
  /** Value of `FONTCONFIG_FILE`. */
  readonly file: string;
  /** Returns false when files are missing: a cleaner of temporary folders may have removed them. */
  readonly isComplete: () => boolean;
  readonly remove: () => void;
}

/**
 * Writes the configuration into a temporary folder of this process, with the adjusted fonts and a
 * folder for fontconfig's cache. Processes that start at the same time share nothing, and no other
 * user can write there.
 */
export function configureFonts(): FontConfiguration {
  const folder = mkdtempSync(join(tmpdir(), `storefront-fonts-${process.pid}-`));
  const changed = join(folder, 'fonts');
  mkdirSync(changed);
  const fonts = adjustedFonts.map((font) => ({ from: font, to: join(changed, basename(font)) }));
  for (const { from, to } of fonts) writeFileSync(to, withLineMetrics(readFileSync(from), line));
  const file = join(folder, 'fonts.conf');
  writeFileSync(file, configurationOf([...unchangedFonts.map(dirname), changed], join(folder, 'cache')));
  const written = [file, ...fonts.map(({ to }) => to)];
  const isComplete = (): boolean => written.every((path) => existsSync(path));
  return { file, isComplete, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const configurationOf = (folders: readonly string[], cache: string): string =>
  [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    ...folders.map((folder) => `<dir>${escaped(folder)}</dir>`),
    `<cachedir>${escaped(cache)}</cachedir>`,
    // Pango requests the family "emoji" for a character that has a text and an emoji presentation
    '<alias binding="same"><family>emoji</family><prefer><family>Noto Color Emoji</family></prefer></alias>',
    '</fontconfig>',
  ].join('\n');

const escaped = (path: string): string => path.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
