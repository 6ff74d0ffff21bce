import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { withLine } from './line-of-font.rules.js';

const { resolve } = createRequire(import.meta.url);

/** Each lies in a folder of its own, without its other weights. */
const asTheyAre = [
  resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-jp/700Bold/NotoSansJP_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-kr/700Bold/NotoSansKR_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-hebrew/700Bold/NotoSansHebrew_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-color-emoji/400Regular/NotoColorEmoji_400Regular.ttf'),
];

/**
 * Their lines reach further down than those of the others. In a line that begins with a Japanese character Pango lays
 * all fonts on the lower edges of their lines, so that words in these stood too high: by half a letter in Arabic.
 */
const withOtherLines = [
  resolve('@expo-google-fonts/noto-sans-arabic/700Bold/NotoSansArabic_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf'),
];
/** Below like the others; above, room for what is written over and under letters. */
const line = { above: 1.3, below: 0.29 };

/** The fonts that texts are printed in, and no others. */
export const fontFiles: readonly string[] = [...asTheyAre, ...withOtherLines];

/** Fontconfig that knows our fonts only: a text looks the same on every machine, whatever is installed there. */
export interface FontConfiguration {
  /** For `FONTCONFIG_FILE`. */
  readonly file: string;
  /** Whether everything is still there: what cleans temporary folders may have removed some of it. */
  readonly isComplete: () => boolean;
  readonly remove: () => void;
}

/**
 * Writes the configuration into a temporary folder of this process, with the fonts that are changed and the place for
 * fontconfig's cache: processes that start at once have nothing to share, and nobody else can write there.
 */
export function configureFonts(): FontConfiguration {
  const folder = mkdtempSync(join(tmpdir(), `storefront-fonts-${process.pid}-`));
  const changed = join(folder, 'fonts');
  mkdirSync(changed);
  const fonts = withOtherLines.map((font) => ({ from: font, to: join(changed, basename(font)) }));
  for (const { from, to } of fonts) writeFileSync(to, withLine(readFileSync(from), line));
  const file = join(folder, 'fonts.conf');
  writeFileSync(file, configurationOf([...asTheyAre.map(dirname), changed], join(folder, 'cache')));
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
    // Pango asks for the family "emoji" where a character has two looks
    '<alias binding="same"><family>emoji</family><prefer><family>Noto Color Emoji</family></prefer></alias>',
    '</fontconfig>',
  ].join('\n');

const escaped = (path: string): string => path.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
