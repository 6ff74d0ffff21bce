import { z } from 'zod';
import { exampleBaseUrl } from '../example-base-url.js';
import { field, rfc3339 } from '../field.js';
import { PrintWarning } from './material.js';

const printFileFormats = ['png', 'tiff', 'pdf'] as const;
export const PrintFileFormat = z.enum(printFileFormats, { error: 'must be png, tiff or pdf' });
export type PrintFileFormat = z.output<typeof PrintFileFormat>;
export const printFileExtensions = { png: 'png', tiff: 'tif', pdf: 'pdf' } as const satisfies Record<
  PrintFileFormat,
  string
>;

export const colorSpaces = ['rgb', 'cmyk'] as const;

const sha256 = 'ab'.repeat(32);
const url = `${exampleBaseUrl}/images/v1/print-files/1/${sha256}`;
const hash = 'h=0123456789abcdef0123456789abcdef01234567&expires=1795860000';

export const PrintFile = z.object({
  place: field(z.string(), 'Print place.', 'front'),
  format: field(PrintFileFormat, 'Format of the file.', 'png'),
  width: field(z.int(), 'Width in pixels, with bleed.', 3_544),
  height: field(z.int(), 'Height in pixels, with bleed.', 4_725),
  dpi: field(z.number(), 'Pixels per inch.', 300),
  colorSpace: field(z.enum(colorSpaces), 'Color space of the pixels.', 'rgb'),
  sha256: field(z.string(), 'SHA-256 of the file as hexadecimal digits.', sha256),
  url: field(z.string(), 'Signed URL of the file.', `${url}.png?${hash}`),
  expiresAt: field(
    rfc3339,
    'Time until which the URL is valid; reading the print files returns new URLs.',
    '2026-11-28T09:00:00.000Z',
  ),
});

const printFilesStatuses = ['waiting', 'making', 'ready', 'failed'] as const;

/** Files from which a product is printed, one for each print place. */
export const PrintFiles = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  status: field(
    z.enum(printFilesStatuses),
    '`waiting`, `making`, then `ready` or `failed`. Requesting failed files again makes them again.',
    'ready',
  ),
  progress: field(z.int(), 'Percent.', 100),
  files: z.array(PrintFile).meta({ description: 'All files; empty unless `ready`.' }),
  ticketUrl: field(z.string().nullable(), 'Signed URL of the ticket, as JSON.', `${url}.json?${hash}`),
  warnings: z.array(PrintWarning).meta({ description: 'Print warnings, at most one for each print place.' }),
});
export type PrintFiles = z.output<typeof PrintFiles>;
