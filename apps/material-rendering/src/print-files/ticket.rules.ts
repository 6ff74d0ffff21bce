import type { PrintOrder, StoredPrintFiles } from '#contracts';

/**
 * Returns the ticket of print files as JSON: what to print where, for the people and programs of a
 * printer. Equal orders have equal tickets.
 */
export const ticketOf = (order: PrintOrder, files: StoredPrintFiles['files']): Buffer =>
  bytesOf({ version: 1, ...printOf(order, files) });

/** Returns the part of a ticket that says what to print. */
export function printOf(order: PrintOrder, files: StoredPrintFiles['files']) {
  const { productId, title, item, variant, places, warnings } = order;
  const placeOf = (file: StoredPrintFiles['files'][number]) => {
    const { area, placed, printing } = places.find(({ place }) => place === file.place)!;
    return {
      ...file,
      technique: printing.technique,
      millimetres: area,
      bleedMillimetres: printing.bleed,
      safeZoneMillimetres: printing.safeZone,
      mirrored: printing.mirror,
      whiteUnderbase:
        printing.whiteUnderbase === 'always' || (printing.whiteUnderbase === 'dark-colors' && variant.isDark),
      profile: file.colorSpace === 'cmyk' ? 'FOGRA39' : 'sRGB',
      matrix: placed.matrix,
    };
  };
  const { id, size, color, rgb } = variant;
  return {
    product: { id: productId, title },
    item,
    variant: { id, size, color, rgb },
    files: files.map(placeOf),
    warnings,
  };
}

export const bytesOf = (ticket: object): Buffer => Buffer.from(`${JSON.stringify(ticket, null, 2)}\n`);
