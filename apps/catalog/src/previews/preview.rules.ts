import { type PayloadOf, problems, type ResizeMode, type Services, type StoredPlacement } from '#contracts';
import { type CatalogItem, type CatalogSnapshot } from '../items/catalog.snapshot.js';
import { storedPlacement, type WantedPlacement, wantedPlacement } from '../products/placement.rules.js';
import { missingItemMessage } from '../products/product-entry.rules.js';
import { type Artwork } from '../products/product.rules.js';
import { ValidationErrors } from '../products/validation-errors.rules.js';

export type PreviewRequest = PayloadOf<Services['catalog'], 'previews.create'>;

/** Maximum number of previews of a request. */
export const maxPreviews = 200;

interface Color {
  readonly name: string;
  readonly rgb: string;
}

/** An item of a request, with the colors and angles that it is shown in. */
export interface PreviewedItem {
  readonly item: CatalogItem;
  /** The requested mode, or null if the item does not allow it or none was requested. */
  readonly resizeMode: ResizeMode | null;
  readonly colors: readonly Color[];
  readonly angles: readonly string[];
}

interface WantedPreviews {
  readonly items: readonly PreviewedItem[];
  readonly placement: WantedPlacement | null;
}

/**
 * Validates the items, colors, angles, resize mode and numbers of a request. An item that has none
 * of the requested values uses its default, so that one request can show items with different
 * colors and angles. A value that none of the items has is an error.
 *
 * @throws DomainError 422 with the kind of the first error and a path for each
 */
export function wantedPreviews(catalog: CatalogSnapshot, request: PreviewRequest): WantedPreviews {
  const errors = new ValidationErrors();
  const items = requestedItems(catalog, request.items, errors);
  if (items.length > 0) checkValues(items, request, errors);
  const placement = wantedPlacement('body.placement', request.placement, errors);
  errors.throwIfAny();
  const previewed = items.map((item) => previewedItem(item, request));
  const count = previewed.reduce((sum, { colors, angles }) => sum + colors.length * angles.length, 0);
  if (count > maxPreviews)
    errors.add(problems['preview.too-many'], 'body.items', `${count} previews; at most ${maxPreviews} are allowed`);
  errors.throwIfAny();
  return { items: previewed, placement };
}

function requestedItems(
  catalog: CatalogSnapshot,
  ids: PreviewRequest['items'],
  errors: ValidationErrors,
): readonly CatalogItem[] {
  if (ids === 'all') return catalog.items.filter(({ isEmbroidery }) => !isEmbroidery);
  const items = new Map<number, CatalogItem>();
  for (const [index, id] of ids.entries()) {
    const path = `body.items.${index}`;
    const item = catalog.item(id);
    if (!item?.enabled) errors.add(problems['item.not-found'], path, missingItemMessage(id));
    else if (item.isEmbroidery) errors.add(problems['item.embroidery'], path, `${item.name} is embroidered`);
    else if (items.has(id)) errors.add(problems['product.duplicate-item'], path, `item ${id} appears twice`);
    else items.set(id, item);
  }
  return [...items.values()];
}

/** Adds an error for each color, angle and resize mode that none of the items has. */
function checkValues(
  items: readonly CatalogItem[],
  { colors, angles, resizeMode }: PreviewRequest,
  errors: ValidationErrors,
): void {
  const [someColors, someAngles] = [new Set(items.flatMap(colorNames)), new Set(items.flatMap((item) => item.angles))];
  for (const [index, color] of colors.entries())
    if (!someColors.has(color))
      errors.add(problems['preview.color-not-available'], `body.colors.${index}`, 'is no color of the items');
  for (const [index, angle] of angles.entries())
    if (!someAngles.has(angle))
      errors.add(problems['preview.angle-not-available'], `body.angles.${index}`, 'is no angle of the items');
  if (resizeMode && !items.some(({ resizeModes }) => resizeModes.includes(resizeMode)))
    errors.add(problems['resize-mode.not-allowed'], 'body.resizeMode', `none of the items allows ${resizeMode}`);
}

const colorNames = ({ variants }: CatalogItem): string[] => variants.map(({ color }) => color.name);

function previewedItem(item: CatalogItem, request: PreviewRequest): PreviewedItem {
  const colors = new Map(item.variants.map(({ color }) => [color.name, color]));
  const ownColors = new Set(request.colors.filter((name) => colors.has(name)));
  const ownAngles = new Set(request.angles.filter((name) => item.angles.includes(name)));
  const { resizeMode = null } = request;
  return {
    item,
    resizeMode: resizeMode !== null && item.resizeModes.includes(resizeMode) ? resizeMode : null,
    colors: ownColors.size > 0 ? [...ownColors].map((name) => colors.get(name)!) : [item.exemplaryVariant.color],
    angles: ownAngles.size > 0 ? [...ownAngles] : [item.essentialAngles[0] ?? item.defaultPrintPlace],
  };
}

/**
 * Places an artwork on the default print place of each item.
 *
 * @returns the placements in the order of the items; null for all without a placement
 * @throws DomainError placement.invalid with an error for each item that it leaves no print on
 */
export function placeOnItems({ items, placement }: WantedPreviews, artwork: Artwork): (StoredPlacement | null)[] {
  const errors = new ValidationErrors();
  const placed = items.map(({ item, resizeMode }) =>
    storedPlacement(placement, { item, place: item.defaultPrintPlace, resizeMode, artwork }, errors),
  );
  errors.throwIfAny();
  return placed;
}
