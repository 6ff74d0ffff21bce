/** How far a line of a font reaches above and below its baseline, in em. */
interface LineOfFont {
  readonly above: number;
  readonly below: number;
}

/**
 * A TrueType font with other lines. Where its tables say the same thing twice, both are set; its check sums are left as
 * they were, because nothing that draws letters looks at them.
 */
export function withLine(font: Buffer, { above, below }: LineOfFont): Buffer {
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
