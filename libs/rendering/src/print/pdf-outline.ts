import { deflateSync } from 'node:zlib';
import { type Matrix } from '#contracts';
import { compose, repeatsIn } from '#placement';
import { numbers, type PdfWriter, pointsPerMillimetre } from './pdf-writer.js';
import { type PrintOutline } from './print-outline.js';

/** Returns the matrix from millimetres of the area to points of the page, whose y is up. */
function toPage({ area, bleed, mirror }: PrintOutline): Matrix {
  const points = pointsPerMillimetre;
  const top = (area.height + bleed) * points;
  return mirror
    ? [-points, 0, 0, -points, (area.width + bleed) * points, top]
    : [points, 0, 0, -points, bleed * points, top];
}

/** Returns the operators that draw each repeat of a text. Only the page clips it. */
export function outlineOperators(print: PrintOutline): string {
  const { placed, area, bleed, color, colorSpace } = print;
  const ink = numbers(color.map((value) => value / 255));
  const repeats = repeatsIn(placed, area, bleed).map((matrix) => {
    return `q ${numbers(compose(matrix, toPage(print)))} cm /Artwork Do Q`;
  });
  return [colorSpace === 'cmyk' ? `${ink} k` : `/Colors cs ${ink} sc`, ...repeats].join('\n');
}

/** Pixels beyond the image that curves may reach, because the pixels were hinted. */
const margin = 2;

/** Writes the curves of a text as a form whose width and height are 1, in the color of the page. */
export async function writeOutline(pdf: PdfWriter, { outline }: PrintOutline): Promise<void> {
  const { width, height, path } = outline;
  const bounds = `/BBox [${-margin} ${-margin} ${width + margin} ${height + margin}]`;
  const matrix = `/Matrix [${(1 / width).toFixed(9)} 0 0 ${(1 / height).toFixed(9)} 0 0]`;
  await pdf.stream(
    'artwork',
    `/Type /XObject /Subtype /Form ${bounds} ${matrix} /Resources << >> /Filter /FlateDecode`,
    deflateSync(Buffer.from(`${path}\nf`, 'latin1')),
  );
}
