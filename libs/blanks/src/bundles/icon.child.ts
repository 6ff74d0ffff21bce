import { runTasks } from '#children/run-tasks.js';
import { sharp } from '#images';
import { type IconTask } from './icon-png.js';

/** Edge of an SVG icon in user units; librsvg renders 72 units per inch. */
const drawnSide = 64;

// Blocked in all other processes
sharp.unblock({ operation: ['VipsForeignLoadSvg'] });

/** Child process that draws an icon. It ends without a reply if the icon cannot be drawn. */
runTasks<IconTask>(async ({ svg, side }) => ({
  png: await sharp(svg, { density: (72 * side) / drawnSide, limitInputPixels: 4 * side * side })
    .resize(side, side)
    // A palette reduces all icons from 137 to 98 KB, because an icon has few colors
    .png({ palette: true, effort: 10 })
    .toBuffer(),
}));
