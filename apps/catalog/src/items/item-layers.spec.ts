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

/** What a layer says; a close-up leaves all but its name to the angle that it is a part of. */
function layerOf(item: string, angle: string): Layer {
  const layer = facts(item, angle);
  return 'of' in layer ? { ...layerOf(item, layer.of), angle } : layer;
}

const layers = readdirSync(folder).flatMap((item) =>
  readdirSync(`${folder}/${item}`).map((angle) => layerOf(item, angle)),
);

/** What the catalogue says about an image: item, angle, place and area in millimetres. */
const promised = readCatalogFiles(catalogFolder).items.flatMap((item) =>
  item.angles.map(({ name: angle, printPlace }) => ({
    item: item.name,
    angle,
    printPlace,
    printArea: item.printPlaces.find(({ name }) => name === printPlace)?.millimetres,
  })),
);

const key = ({ item, angle }: { item: string; angle: string }) => `${item}/${angle}`;

describe('the catalogue and the layers that images are drawn from', () => {
  it('know the same items and angles', () => {
    expect(promised.map(key).sort()).toEqual(layers.map(key).sort());
  });

  it.each(layers.map((layer) => [key(layer), layer] as const))(
    'agree where and how large %s is printed',
    (_, layer) => {
      const { item, angle, printPlace, printArea } = layer;
      expect(promised.find((it) => key(it) === key(layer))).toEqual({ item, angle, printPlace, printArea });
    },
  );
});
