import sharp from 'sharp';
import { projectPath } from '#config';

// The icons are ours. Where a test has loaded the pipeline before, its rules for images of clients hold for the process
sharp.unblock({ operation: ['VipsForeignLoadSvg'] });

/** Where the icons of the items lie: `{item}.svg`, drawn by hand, and beside it `{item}.png`, made of it. */
export const iconFolder = projectPath('apps/catalog/data/icons');

/** Edge of a PNG icon, in pixels. */
export const iconSide = 256;

/** Units of an SVG icon's edge; librsvg draws 72 of them to the inch. */
const drawnSide = 64;

/** Draws an SVG icon as a square PNG with a transparent ground. */
export const iconPng = (svg: Buffer): Promise<Buffer> =>
  sharp(svg, { density: (72 * iconSide) / drawnSide })
    .resize(iconSide, iconSide)
    // 98 KB for all of them instead of 137: an icon has few colours, and the blends between them
    .png({ palette: true, effort: 10 })
    .toBuffer();
