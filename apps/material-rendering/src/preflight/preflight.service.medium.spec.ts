import { type PayloadOf, type Services } from '#contracts';
import { placeArtwork } from '#placement';
import { paintPng } from '#rendering/testing/test-card.js';
import { sharp } from '#images';
import { TextureIntake } from '../testing/texture-intake.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { TextureRepository } from '../textures/texture.repository.js';
import { PreflightService } from './preflight.service.js';

type Request = PayloadOf<Services['material-rendering'], 'preflight.measure'>;

let intake: TextureIntake;
let decoder: TextureDecoder;
let service: PreflightService;

beforeAll(async () => {
  intake = await TextureIntake.open();
  decoder = new TextureDecoder({ timeoutMs: 60_000 });
  service = new PreflightService(new TextureRepository(intake.db.database), decoder, intake.blobs);
});
afterAll(async () => {
  decoder.onApplicationShutdown();
  await intake.close();
});

const area = { width: 40, height: 50 };

/** Stores an artwork, and returns its place as fitted. */
async function placeOf(
  name: string,
  bytes: Buffer,
  colorSpace: 'rgb' | 'cmyk' = 'rgb',
): Promise<Request['places'][number]> {
  const source = { kind: 'upload', key: await intake.upload(bytes) } as const;
  const [texture] = await intake.serviceWith(decoder).store(1, [source]);
  const { repeat, period, matrix } = placeArtwork({ artwork: texture!, area, mode: 'contain' });
  return {
    place: name,
    textureHash: texture!.hash,
    placed: { repeat, period, matrix },
    area,
    technique: 'digital',
    dpi: 300,
    bleed: 0,
    safeZone: 0,
    colorSpace,
    hidden: [],
  };
}
const colors = [{ name: 'white', rgb: '#ffffff' }];

it('reports on the stored artwork of each place', async () => {
  const frames = await Promise.all([10, 20].map((red) => paintPng(160, 200, () => [red, 0, 0, 255])));
  const gif = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
  const blue = await paintPng(480, 600, () => [0, 0, 255, 255]);
  const white = await paintPng(480, 600, (x) => [255, 255, 255, x < 0.5 ? 255 : 0]);
  const places = [await placeOf('front', gif), await placeOf('back', blue, 'cmyk'), await placeOf('left', white)];
  const { places: reports } = await service.measure({ places, colors });
  expect(reports).toMatchObject([
    {
      place: 'front',
      effectiveDpi: expect.closeTo(101.6),
      outOfGamutShare: null,
      findings: [{ code: 'first-frame' }, { code: 'low-resolution', limit: 200 }],
    },
    { place: 'back', emptyShare: 0, outOfGamutShare: 1, findings: [{ code: 'out-of-gamut', value: 1, limit: 0.1 }] },
    { place: 'left', findings: [{ code: 'white-on-white', value: 1, colors: ['white'] }] },
  ]);
  expect(reports[2]!.emptyShare).toBeCloseTo(0.5, 2);
});

it('rejects a missing artwork', async () => {
  const place = {
    ...(await placeOf('front', await paintPng(9, 9, () => [1, 2, 3, 255]))),
    textureHash: '0'.repeat(64),
  };
  await expect(service.measure({ places: [place], colors })).rejects.toMatchObject({
    kind: { code: 'picture.not-found' },
  });
});
