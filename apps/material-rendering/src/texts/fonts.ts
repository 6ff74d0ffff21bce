import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.url);

/** The fonts that texts are printed in, and no others. Each lies in a folder of its own, without its other weights. */
export const fontFiles: readonly string[] = [
  resolve('@expo-google-fonts/noto-sans-jp/700Bold/NotoSansJP_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
  resolve('@expo-google-fonts/noto-color-emoji/400Regular/NotoColorEmoji_400Regular.ttf'),
];

/** Fontconfig that knows our fonts only: a text looks the same on every machine, whatever is installed there. */
export interface FontConfiguration {
  /** For `FONTCONFIG_FILE`. */
  readonly file: string;
  readonly remove: () => void;
}

/**
 * Writes the configuration into a temporary folder of this process, with the place for fontconfig's cache: processes that
 * start at once have nothing to share, and nobody else can write there.
 */
export function configureFonts(): FontConfiguration {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-fonts-'));
  const file = join(folder, 'fonts.conf');
  writeFileSync(file, configurationOf(join(folder, 'cache')));
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const configurationOf = (cache: string): string =>
  [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    ...fontFiles.map((file) => `<dir>${escaped(dirname(file))}</dir>`),
    `<cachedir>${escaped(cache)}</cachedir>`,
    // Pango asks for the family "emoji" where a character has two looks
    '<alias binding="same"><family>emoji</family><prefer><family>Noto Color Emoji</family></prefer></alias>',
    '</fontconfig>',
  ].join('\n');

const escaped = (path: string): string => path.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
