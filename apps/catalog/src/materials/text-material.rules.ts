import { problems, toVisibleLine } from '#contracts';
import { DomainError, type ProblemKind } from '#kernel';
import { type CatalogSnapshot, type CatalogVariant } from '../items/catalog.snapshot.js';

/** Name of the only item that texts are printed on (docs/specification.md 4.5). */
const standardShirt = 't-shirt';

/** Variant of a request without a variant. */
const defaultVariant = { color: 'white', size: 'm' };

/** Nearly black and nearly white, like ink on cloth. */
const letterColors = { onLight: '#1f2328', onDark: '#fafafa' };

/**
 * Returns the variant that a text is printed on.
 *
 * @throws DomainError item-variant.not-standard-t-shirt, also for a disabled or missing variant
 */
export function shirtVariant(catalog: CatalogSnapshot, variantId: number | undefined): CatalogVariant {
  const item = catalog.itemByName(standardShirt);
  const variants = item?.enabled ? item.variants : [];
  const variant = variants.find(
    ({ id, enabled, color, size }) =>
      enabled &&
      (variantId === undefined
        ? color.name === defaultVariant.color && size.name === defaultVariant.size
        : id === variantId),
  );
  if (variant) return variant;
  const message =
    variantId === undefined
      ? 'is required, because the default variant (white, M) cannot be ordered'
      : `variant ${variantId} is not an available variant of the standard T-shirt`;
  throw rejection(problems['item-variant.not-standard-t-shirt'], 'body.itemVariantId', message);
}

/** Returns a color with contrast to the cloth, `#rrggbb`. */
export const letterColor = ({ isDarkColor }: CatalogVariant): string =>
  isDarkColor ? letterColors.onDark : letterColors.onLight;

/**
 * Returns the default title of a text: the first line with visible characters, without its
 * invisible characters. No title is too long, because the limit of texts is not above that of
 * titles.
 *
 * @throws DomainError text.blank
 */
export function titleOf(text: string): string {
  const line = text
    .split(/[\n\r\u2028\u2029]/)
    .map(toVisibleLine)
    .find((it) => it !== '');
  if (line === undefined) throw rejection(problems['text.blank'], 'body.text', 'has no visible characters');
  return line;
}

/**
 * Adds the path of the text to a rejection by material-rendering. Other errors are not caused by
 * the client and stay unchanged.
 */
export const withTextPath = (error: unknown): unknown =>
  error instanceof DomainError && error.status === 422 ? rejection(error.kind, 'body.text', error.detail) : error;

const rejection = (kind: ProblemKind, path: string, message: string): DomainError =>
  new DomainError(kind, `${path}: ${message}`, [{ path, message }]);
