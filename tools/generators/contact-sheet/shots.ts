import { defaultResizeMode, type ResizeMode } from '#contracts';
import { type CatalogFiles, type ColorFile, type ItemFile } from '#blanks';

/** Demo artworks to print: a photo-like JPEG without transparency, a badge and a text with it. */
export const artworks = ['dusk-sea.jpg', 'lighthouse-badge.png', 'slow-is-still-moving.png'] as const;

type Artwork = (typeof artworks)[number];

/** One image of the contact sheet. */
export interface Shot {
  readonly item: string;
  readonly angle: string;
  readonly color: ColorFile;
  readonly artwork: Artwork;
  /** File in the folder of a size. */
  readonly file: string;
}

/** One item from one angle, every color with every artwork. */
export interface Scene {
  readonly item: ItemFile;
  readonly angle: ItemFile['angles'][number];
  /** Default resize mode of the shop. */
  readonly resizeMode: ResizeMode;
  readonly shots: readonly Shot[];
}

/** Returns the items with images, in the order of the catalog. */
export const itemsWithImages = ({ items }: CatalogFiles): ItemFile[] =>
  items.filter(({ angles }) => angles.length > 0).sort((one, other) => one.displayOrder - other.displayOrder);

/** @param wanted names of items; empty for all */
export function scenesOf(files: CatalogFiles, wanted: readonly string[] = []): Scene[] {
  const items = itemsWithImages(files).filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  return items.flatMap((item) => {
    const names = new Set(item.variants.map(({ color }) => color));
    const colors = files.colors.filter(({ name }) => names.has(name));
    return item.angles.map((angle) => {
      const shots = colors.flatMap((color) => artworks.map((artwork) => shotOf(item.name, angle.name, color, artwork)));
      return { item, angle, resizeMode: defaultResizeMode(item), shots };
    });
  });
}

function shotOf(item: string, angle: string, color: ColorFile, artwork: Artwork): Shot {
  const file = `${item}/${angle}-${color.name}-${artwork.replace(/\.\w+$/, '')}.webp`;
  return { item, angle, color, artwork, file };
}
