import sharp from 'sharp';
import { projectPath } from '#config';

// The icons are trusted. In tests the pipeline may have blocked SVG for the whole process
sharp.unblock({ operation: ['VipsForeignLoadSvg'] });

/** Folder of the items: `{item}/icon.svg`, drawn by hand, and its rendering `{item}/icon.png`. */
export const itemsFolder = projectPath('blanks/items');

/** Edge of a PNG icon, in pixels. */
export const iconSide = 256;

/** Edge of an SVG icon in user units; librsvg renders 72 units per inch. */
const drawnSide = 64;

/** Renders an SVG icon as a square PNG with a transparent background. */
export const iconPng = (svg: Buffer): Promise<Buffer> =>
  sharp(svg, { density: (72 * iconSide) / drawnSide })
    .resize(iconSide, iconSide)
    // A palette reduces all icons from 137 to 98 KB, because an icon has few colors
    .png({ palette: true, effort: 10 })
    .toBuffer();
