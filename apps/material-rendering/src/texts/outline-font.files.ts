import { readFileSync } from 'node:fs';
import { Blob, Face, Font } from 'harfbuzzjs';
import { families } from '#rendering/text/text.js';
import { type FontsFor } from '#rendering/text/text-shaping.js';
import { fontFiles } from './font.files.js';

/** Fonts by family, opened on first use: most texts need one of them, and all have 30 MB. */
const fonts = new Map<string, Font>();

function openFont(family: string): Font {
  const known = fonts.get(family);
  if (known) return known;
  const file = fontFiles.find((path) => path.includes(`/${family.replaceAll(' ', '')}_`));
  if (file === undefined) throw new Error(`the font ${family} has no file`);
  const font = new Font(new Face(new Blob(readFileSync(file))));
  fonts.set(family, font);
  return font;
}

// Glyphs of the emoji font are images, which have no outline
const outlined = families.filter((family) => family !== 'Noto Color Emoji');

/** Fonts of texts, whose glyphs have outlines. */
export const outlineFonts: FontsFor = function* (family) {
  if (family !== undefined && outlined.some((it) => it === family)) yield openFont(family);
  for (const other of outlined) if (other !== family) yield openFont(other);
};
