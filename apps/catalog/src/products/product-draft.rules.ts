import { type ResizeMode, type StoredPlacement, type Texture } from '#contracts';
import { type NewProduct } from './new-product.rules.js';
import { storedPlacement } from './placement.rules.js';
import { type Artwork, artworkOf, type ProductPrint } from './product.rules.js';
import { ValidationErrors } from './validation-errors.rules.js';

/** A validated product with stored textures, to insert. */
export interface ProductDraft {
  readonly itemId: number;
  readonly exemplaryVariantId: number;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
  /** Position of the material's image; null = as fitted. */
  readonly placement: StoredPlacement | null;
  readonly prints: readonly ProductPrint[];
}

/**
 * Returns the product with the material's image at its place, without further prints.
 *
 * @param artwork the material's image
 */
export function draftOf(product: NewProduct, artwork: Artwork, errors: ValidationErrors): ProductDraft {
  const { item, exemplaryVariantId, published, resizeMode } = product;
  const target = { item, place: item.defaultPrintPlace, resizeMode, artwork };
  const placement = storedPlacement(product.placement, target, errors);
  return { itemId: item.id, exemplaryVariantId, published, resizeMode, placement, prints: [] };
}

/**
 * Adds textures to products.
 *
 * @param artwork the material's image
 * @param textures images of all further prints, in the order of the prints
 * @throws DomainError placement.invalid with the path of each placement that cannot be printed
 */
export function productDrafts(
  wanted: readonly NewProduct[],
  artwork: Artwork,
  textures: readonly Texture[],
): ProductDraft[] {
  const errors = new ValidationErrors();
  const remaining = textures.values();
  const drafts = wanted.map((product) => {
    const { item, resizeMode } = product;
    const prints = product.prints.map(({ place, enabled, placement: wantedPlace }): ProductPrint => {
      const texture = remaining.next().value!;
      const its = artworkOf(texture);
      const placement = storedPlacement(wantedPlace, { item, place, resizeMode, artwork: its }, errors);
      return { place, textureHash: texture.hash, enabled, artwork: its, ...(placement && { placement }) };
    });
    return { ...draftOf(product, artwork, errors), prints };
  });
  errors.throwIfAny();
  return drafts;
}
