import { problems, toVisibleLine } from '#contracts';
import { DomainError, type ProblemKind } from '#kernel';
import { type CatalogSnapshot, type CatalogVariant } from '../items/catalog.snapshot.js';

/** The only item that texts are printed on (docs/specification.md 4.5). */
const standardShirt = 't-shirt';

/** What is made when no variant is named. */
const usual = { color: 'white', size: 'm' };

/** Not quite black and not quite white: as ink looks on cloth. */
const letters = { onLight: '#1f2328', onDark: '#fafafa' };

/**
 * The variant that a text is printed on.
 *
 * @throws DomainError item-variant.not-standard-t-shirt, also for one that cannot be ordered or does not exist
 */
export function shirtVariant(catalog: CatalogSnapshot, variantId: number | undefined): CatalogVariant {
  const item = catalog.itemByName(standardShirt);
  const variants = item?.enabled ? item.variants : [];
  const variant = variants.find(
    ({ id, enabled, color, size }) =>
      enabled && (variantId === undefined ? color.name === usual.color && size.name === usual.size : id === variantId),
  );
  if (variant) return variant;
  const message =
    variantId === undefined
      ? 'the white M cannot be ordered, so that a variant must be named'
      : `variant ${variantId} is not one of the standard T-shirt that can be ordered`;
  throw refused(problems['item-variant.not-standard-t-shirt'], 'body.itemVariantId', message);
}

/** The colour of letters that contrast with the cloth, `#rrggbb`. */
export const letterColor = ({ isDarkColor }: CatalogVariant): string =>
  isDarkColor ? letters.onDark : letters.onLight;

/**
 * The title of a text that has none: its first line with visible characters, without the others. A text is no longer than a title may be.
 *
 * @throws DomainError text.blank
 */
export function titleOf(text: string): string {
  const line = text
    .split(/[\n\r\u2028\u2029]/)
    .map(toVisibleLine)
    .find((it) => it !== '');
  if (line === undefined) throw refused(problems['text.blank'], 'body.text', 'there is nothing to print');
  return line;
}

/** What the renderer says of a text, with the path of the text; a renderer that fails is not the client's mistake. */
export const ofText = (error: unknown): unknown =>
  error instanceof DomainError && error.status === 422 ? refused(error.kind, 'body.text', error.detail) : error;

const refused = (kind: ProblemKind, path: string, message: string): DomainError =>
  new DomainError(kind, `${path}: ${message}`, [{ path, message }]);
