import { readdirSync, readFileSync } from 'node:fs';
import { projectPath } from '#config';
import { catalogFolder, readCatalogFiles } from './item.files.js';

interface Layer {
  readonly item: string;
  readonly angle: string;
  readonly printPlace: string;
  readonly printArea: { readonly width: number; readonly height: number };
}

const folder = projectPath('apps', 'material-rendering', 'layers');

const facts = (item: string, angle: string) =>
  JSON.parse(readFileSync(`${folder}/${item}/${angle}/layer.json`, 'utf8')) as Layer | { readonly of: string };

/**
 * Returns the content of a layer's file. A close-up, which is a crop of another angle, has the
 * content of that angle under its own name.
 */
function layerOf(item: string, angle: string): Layer {
  const layer = facts(item, angle);
  return 'of' in layer ? { ...layerOf(item, layer.of), angle } : layer;
}

const layers = readdirSync(folder).flatMap((item) =>
  readdirSync(`${folder}/${item}`).map((angle) => layerOf(item, angle)),
);

/** Layers that the catalog's files require: item, angle, print place and area in millimetres. */
const required = readCatalogFiles(catalogFolder).items.flatMap((item) =>
  item.angles.map(({ name: angle, printPlace }) => ({
    item: item.name,
    angle,
    printPlace,
    printArea: item.printPlaces.find(({ name }) => name === printPlace)?.millimetres,
  })),
);

const key = ({ item, angle }: { item: string; angle: string }) => `${item}/${angle}`;

describe('catalog files and layers of images', () => {
  it('have the same items and angles', () => {
    expect(required.map(key).sort()).toEqual(layers.map(key).sort());
  });

  it.each(layers.map((layer) => [key(layer), layer] as const))(
    'agree on the print place and area of %s',
    (_, layer) => {
      const { item, angle, printPlace, printArea } = layer;
      expect(required.find((it) => key(it) === key(layer))).toEqual({ item, angle, printPlace, printArea });
    },
  );
});
