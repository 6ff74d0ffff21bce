import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packLayers, readPackedLayers } from '#blanks';
import { type bundleFromPhotos, drawReport, masterSide } from '#mockups';
import { tintBlank } from '#rendering/blank.js';
import { clothTone } from '#rendering/cloth-tone.js';
import { glossTable, litTable } from '#rendering/light.js';
import { makePlan, type Plan } from '#rendering/plan.js';

type Made = Awaited<ReturnType<typeof bundleFromPhotos>>;

/** A drawing that was written, and what it shows. */
interface DrawnReport {
  readonly file: string;
  readonly text: string;
  readonly difference: { readonly mean: number; readonly max: number };
}

const side = masterSide;
/** Darkest and brightest cloth. */
const [black, white] = [clothTone('#000000')[0], clothTone('#ffffff')[0]];

/**
 * Draws two comparisons for each angle: the blank in its own color beside the photo, and a board
 * with squares of the markers' pitch, or of 10 mm, beside the photo of the markers.
 *
 * @param folder is created, and its drawings are replaced
 */
export async function drawReports(folder: string, { name, files, angles }: Made): Promise<DrawnReport[]> {
  const layers = readPackedLayers(packLayers(files).bytes, name);
  await mkdir(folder, { recursive: true });
  const drawn: DrawnReport[] = [];
  const write = async (
    title: string,
    original: Uint8Array,
    ours: Uint8Array,
    mask: Uint8Array,
  ): Promise<DrawnReport> => {
    const image = (data: Uint8Array) => ({ width: side, height: side, data });
    const { png, difference } = await drawReport(title, image(original), image(ours), mask);
    const file = join(folder, `${title.replace(' ', '-')}.png`);
    await writeFile(file, png);
    const { mean, most, max } = difference;
    return {
      file,
      difference: { mean, max },
      text: `the item differs by ${mean.toFixed(1)} of 255 levels, 99 % by ${most} or less`,
    };
  };
  for (const { name: angle, photo, color, board } of angles) {
    const plan = await makePlan(layers.get(angle)!, side);
    const blank = tintBlank(plan, color);
    drawn.push(await write(angle, photo, blank, plan.mask));
    drawn.push(await write(`${angle} print`, board.photo ?? photo, boardOn(blank, plan, board), plan.mask));
  }
  return drawn;
}

/** Draws a chessboard over the print area of a blank. */
function boardOn(blank: Buffer, plan: Plan, { pitch, first }: Made['angles'][number]['board']): Buffer {
  const image = Buffer.from(blank);
  const { width, height } = plan.layer.printArea;
  const cell = (part: number, length: number, from: number): number => Math.floor((part * length - from) / pitch);
  plan.pixels.forEach((pixel, i) => {
    const [u, v] = [plan.u[i]!, plan.v[i]!];
    if (u < 0 || u > 1 || v < 0 || v > 1 || plan.mask[pixel]! < 128) return;
    const isDark = (cell(u, width, first.x) + cell(v, height, first.y)) % 2 === 0;
    const lit = litTable[(plan.shade[pixel]! << 8) | (isDark ? black : white)]!;
    image.fill(glossTable[(plan.gloss[pixel]! << 8) | lit]!, 3 * pixel, 3 * pixel + 3);
  });
  return image;
}
