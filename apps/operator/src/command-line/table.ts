import { Report } from './command.js';

type Cell = string | number | boolean | null;
type Row = Readonly<Record<string, Cell>>;

/** Replaces control characters, which a terminal interprets: a text may quote input of clients. */
export const printable = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

function printed(cell: Cell): string {
  if (cell === null) return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return printable(String(cell));
}

/**
 * Formats rows as lines with aligned columns below their names, `none` as the only line without
 * rows. Free text belongs into the last column, because its characters may differ in width.
 */
export function table(rows: readonly Row[], none: string): string {
  if (rows.length === 0) return none;
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row).map(printed))];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns a report whose text is a table of one row. */
export const rowReport = (row: Row, data: object): Report => new Report(table([row], ''), data);

/** Formats a page of a list, with the flag that shows the next one. */
export const pageOf = (text: string, nextOffset: number | null): string =>
  nextOffset === null ? text : `${text}\nMore: --offset ${nextOffset}`;

/** Shortens an ISO 8601 time in UTC to minutes: `2026-12-24 09:00Z`. */
export const minute = (time: string): string => `${time.slice(0, 16).replace('T', ' ')}Z`;
