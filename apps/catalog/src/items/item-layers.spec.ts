import { readdirSync, readFileSync } from 'node:fs';
import { projectPath } from '#config';
import { catalogFolder, readCatalogFiles } from './item-files.js';

interface Layer {
  readonly item: string;
  readonly angle: string;
  readonly printPlace: string;
  readonly printArea: { readonly width: number; readonly height: number };
}

const folder = projectPath('apps', 'material-rendering', 'layers');

const layers = readdirSync(folder).flatMap((item) =>
  readdirSync(`${folder}/${item}`).map(
    (angle) => JSON.parse(readFileSync(`${folder}/${item}/${angle}/layer.json`, 'utf8')) as Layer,
  ),
);

/** What the catalogue says about a picture: item, angle, place and area in millimetres. */
const promised = readCatalogFiles(catalogFolder).items.flatMap((item) =>
  item.angles.map(({ name: angle, printPlace }) => ({
    item: item.name,
    angle,
    printPlace,
    printArea: item.printPlaces.find(({ name }) => name === printPlace)?.millimetres,
  })),
);

const key = ({ item, angle }: { item: string; angle: string }) => `${item}/${angle}`;

describe('the catalogue and the layers that pictures are drawn from', () => {
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
