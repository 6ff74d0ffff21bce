import sharp from 'sharp';

const maxBytes = 64 * 1024;

/**
 * Returns why an SVG icon is rejected; null for an accepted one. The gateway serves icons on the
 * shop's origin, so they must not run scripts or load anything, and entities may expand to any
 * size.
 */
export function iconDefect(svg: Buffer): string | null {
  if (svg.length > maxBytes) return 'is larger than 64 KB';
  const text = svg.toString();
  if (/<!|<\?(?!xml )/.test(text)) return 'must not have a DOCTYPE, entities, comments or processing instructions';
  if (!/^(?:<\?xml [^>]*>\s*)?<svg\s[^>]*viewBox="0 0 64 64"/.test(text)) return 'must begin with <svg viewBox="0 0 64 64">';
  const forbidden = /<(script|foreignObject|iframe|image|a|style|animate\w*|set)\b/i.exec(text)?.[1];
  if (forbidden !== undefined) return `must not have the element ${forbidden}`;
  if (/\son\w+\s*=/i.test(text)) return 'must not have event handlers';
  // Only to its own elements
  if (/\b(?:href|src)\s*=\s*["'](?!#)|url\s*\(\s*(?!['"]?#)|@import|javascript:/i.test(text))
    return 'must not refer to other files';
  return null;
}

/** Edge of a PNG icon, in pixels. */
export const iconSide = 256;
/** Edge of an SVG icon in user units; librsvg renders 72 units per inch. */
const drawnSide = 64;

/**
 * Renders an SVG icon as a square PNG with a transparent background.
 *
 * @param svg without defects: the decoder of SVG sees it
 */
export function iconPng(svg: Buffer): Promise<Buffer> {
  // Blocked in processes that decode images of clients. This one draws icons
  sharp.unblock({ operation: ['VipsForeignLoadSvg'] });
  return (
    sharp(svg, { density: (72 * iconSide) / drawnSide })
      .resize(iconSide, iconSide)
      // A palette reduces all icons from 137 to 98 KB, because an icon has few colors
      .png({ palette: true, effort: 10 })
      .toBuffer()
  );
}
