import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Format of the URLs of print files and tickets. catalog writes them, the gateway verifies them:
 *
 *     {base}/images/v1/print-files/{id}/{sha256}.{ext}?expires={epoch seconds}&h={signature}
 */
export const printFilePath = '/images/v1/print-files';

/** Time for which a URL is valid. Reading the print files returns new URLs. */
export const printFileUrlSeconds = 24 * 3_600;

/** File of the blob store, and the time until which a URL leads to it. */
interface PrintFileAddress {
  readonly printFilesId: number;
  /** `{sha256}.{ext}` */
  readonly name: string;
  /** Epoch seconds. */
  readonly expires: number;
}

const pathPattern = /^(?<id>[1-9]\d{0,15})\/(?<name>[0-9a-f]{64}\.(?:png|tif|pdf|json))$/;

const sign = ({ printFilesId, name, expires }: PrintFileAddress, secret: string): string =>
  createHmac('sha256', secret).update(`print-file ${printFilesId}/${name} ${expires}`).digest('base64url');

export const printFileUrl = (base: string, address: PrintFileAddress, secret: string): string =>
  `${base}${printFilePath}/${address.printFilesId}/${address.name}?expires=${address.expires}&h=${sign(address, secret)}`;

/** Query parameters of a URL. Unvalidated input of a client. */
export interface PrintFileQuery {
  readonly expires?: unknown;
  readonly h?: unknown;
}

/**
 * Parses the path of a print file after `/images/v1/print-files/`. Null for another path or
 * signature, which is compared in constant time. Does not check the expiry.
 */
export function parsePrintFilePath(
  path: string,
  { expires, h }: PrintFileQuery,
  secret: string,
): PrintFileAddress | null {
  const groups = pathPattern.exec(path)?.groups;
  if (!groups || typeof h !== 'string' || typeof expires !== 'string' || !/^\d{1,12}$/.test(expires)) return null;
  const address = { printFilesId: Number(groups.id), name: groups.name!, expires: Number(expires) };
  const [given, expected] = [Buffer.from(h), Buffer.from(sign(address, secret))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? address : null;
}

/** Folder of the files in the blob store. */
export const printFilesFolder = (printFilesId: number): string => `print-files/${printFilesId}`;

export const printFileKey = ({ printFilesId, name }: Pick<PrintFileAddress, 'printFilesId' | 'name'>): string =>
  `${printFilesFolder(printFilesId)}/${name}`;
