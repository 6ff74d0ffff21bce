/** Ascent and descent of a font's lines: the distance above and below the baseline, in em. */
interface LineMetrics {
  readonly above: number;
  readonly below: number;
}

/**
 * Returns a copy of a TrueType font with other line metrics. Both tables that contain them, `hhea`
 * and `OS/2`, are changed. The checksums are not changed, because font renderers do not check them.
 *
 * @throws Error for a file without these tables
 */
export function withLineMetrics(font: Buffer, { above, below }: LineMetrics): Buffer {
  const changed = Buffer.from(font);
  const emUnits = changed.readUInt16BE(tableAt(changed, 'head') + 18);
  for (const at of [tableAt(changed, 'hhea') + 4, tableAt(changed, 'OS/2') + 68]) {
    changed.writeInt16BE(Math.round(above * emUnits), at);
    changed.writeInt16BE(-Math.round(below * emUnits), at + 2);
  }
  return changed;
}

function tableAt(font: Buffer, tag: string): number {
  for (let entry = 12; entry < 12 + 16 * font.readUInt16BE(4); entry += 16) {
    if (font.toString('latin1', entry, entry + 4) === tag) return font.readUInt32BE(entry + 8);
  }
  throw new Error(`the font has no table ${tag}`);
}
