import { filePathOf } from '#contracts';
import { withTax } from '#kernel';
import { dateTimeJson, type JsonContext } from '../context.json.js';

/** A material and its owner, as selected by `materialColumns` of `material.queries.ts`. */
export interface MaterialRow {
  readonly materialId: number;
  readonly materialTitle: string;
  readonly description: string | null;
  readonly materialPrice: number;
  readonly violation: boolean;
  readonly materialPublished: boolean;
  readonly materialPublishedAt: Date | null;
  readonly uploadedAt: Date;
  readonly textureFormat: string;
  readonly dominantRgb: string | null;
  readonly animated: boolean;
  readonly originalWidth: number;
  readonly originalHeight: number;
  readonly userId: number;
  readonly userName: string;
  readonly userDisplayName: string | null;
  readonly userAvatarUrl: string | null;
}

export type UploadedRow = Pick<
  MaterialRow,
  'materialId' | 'uploadedAt' | 'originalWidth' | 'originalHeight' | 'textureFormat'
>;

/** Returns the file path in image URLs of a material, for example `12/1763629200-2000x1000.png`. */
export const filePathOfRow = (row: UploadedRow): string => filePathOf({ ...row, format: row.textureFormat });

/**
 * Returns a Material (docs/specification.md 2.9) as JSON. `JSON.stringify` escapes the strings of
 * users; the other values need no escaping.
 */
export function materialJson(row: MaterialRow, context: JsonContext): string {
  return (
    `{"id":${row.materialId},"title":${JSON.stringify(row.materialTitle)},` +
    `"description":${JSON.stringify(row.description)},"price":${row.materialPrice},` +
    `"priceWithTax":${withTax(row.materialPrice, context.taxPercent)},"violation":${row.violation},` +
    `"published":${row.materialPublished},"publishedAt":${dateTimeJson(row.materialPublishedAt, context)},` +
    `"uploadedAt":"${context.dateTime(row.uploadedAt)}","dominantRgb":${JSON.stringify(row.dominantRgb)},` +
    `"originalWidth":${row.originalWidth},"originalHeight":${row.originalHeight},"user":${userJson(row)}}`
  );
}

const userJson = (row: MaterialRow): string =>
  `{"id":${row.userId},"name":${JSON.stringify(row.userName)},` +
  `"displayName":${JSON.stringify(row.userDisplayName)},"avatarUrl":${JSON.stringify(row.userAvatarUrl)}}`;
