import { problems } from '#contracts';
import { type DomainError } from '#kernel';
import { catalog, embroideredCap, mug, phoneCase, retiredSocks, shirt } from '../testing/catalog-fixture.js';
import { maxPreviews, placeOnItems, type PreviewRequest, wantedPreviews } from './preview.rules.js';

const request = (fields: Partial<PreviewRequest> = {}): PreviewRequest => ({
  viewerId: 1,
  materialId: null,
  texture: { kind: 'url', url: 'https://example.com/cat.png' },
  items: 'all',
  colors: [],
  angles: [],
  size: 500,
  language: 'en',
  ...fields,
});
const preview = (fields: Partial<PreviewRequest> = {}) => wantedPreviews(catalog, request(fields)).items;
const summary = (fields: Partial<PreviewRequest> = {}) =>
  preview(fields).map(({ item, colors, angles, resizeMode }) => [
    item.name,
    colors.map(({ name }) => name).join(),
    angles.join(),
    resizeMode,
  ]);
function rejectionOf(work: () => unknown): [code: string, ...paths: string[]] {
  try {
    work();
  } catch (error) {
    const { kind, errors } = error as DomainError;
    return [kind.code, ...errors!.map(({ path }) => path)];
  }
  throw new Error('was accepted');
}

describe('the items of previews', () => {
  it('are all that can be printed, in their exemplary color and from their representative angle', () => {
    expect(summary()).toEqual([
      ['t-shirt', 'white', 'front', null],
      ['mug', 'white', 'front', null],
      ['smartphone-case', 'white', 'front', null],
    ]);
  });

  it('are those of the request, in its order', () => {
    expect(preview({ items: [mug.id, shirt.id] }).map(({ item }) => item.name)).toEqual(['mug', 't-shirt']);
  });

  it('have the requested colors, angles and mode, or their defaults if they have none of them', () => {
    const fields = { colors: ['black', 'white', 'black'], angles: ['back', 'left'], resizeMode: 'cover' } as const;
    expect(summary({ ...fields, colors: [...fields.colors], angles: [...fields.angles] })).toEqual([
      ['t-shirt', 'black,white', 'back,left', null],
      ['mug', 'white', 'front', null],
      ['smartphone-case', 'white', 'front', 'cover'],
    ]);
  });

  it.each([
    [{ items: [shirt.id, 99] }, 'item.not-found', 'body.items.1'],
    [{ items: [retiredSocks.id] }, 'item.not-found', 'body.items.0'],
    [{ items: [embroideredCap.id] }, 'item.embroidery', 'body.items.0'],
    [{ items: [mug.id, mug.id] }, 'product.duplicate-item', 'body.items.1'],
    [{ colors: ['white', 'plaid'] }, 'preview.color-not-available', 'body.colors.1'],
    [{ items: [mug.id], colors: ['black'] }, 'preview.color-not-available', 'body.colors.0'],
    [{ angles: ['inside'] }, 'preview.angle-not-available', 'body.angles.0'],
    [{ items: [mug.id], resizeMode: 'cover' }, 'resize-mode.not-allowed', 'body.resizeMode'],
  ] as const)('are rejected: %j', (fields, code, path) => {
    const wanted = JSON.parse(JSON.stringify(fields)) as Partial<PreviewRequest>;
    expect(rejectionOf(() => preview(wanted))).toEqual([code, path]);
  });

  it('are rejected with all paths at once', () => {
    const fields = { items: [99, mug.id], colors: ['plaid'], angles: ['inside', 'front'] };
    expect(rejectionOf(() => preview(fields))).toEqual([
      problems['item.not-found'].code,
      ...['body.items.0', 'body.colors.0', 'body.angles.0'],
    ]);
  });

  it(`have at most ${maxPreviews} previews`, () => {
    const angles = Array.from({ length: 101 }, (_, n) => `angle-${n}`);
    const many = { ...shirt, angles };
    const wanted = { ...catalog, items: [many] };
    const colors = ['white', 'black'];
    expect(rejectionOf(() => wantedPreviews(wanted, request({ colors, angles })))).toEqual([
      'preview.too-many',
      'body.items',
    ]);
    expect(wantedPreviews(wanted, request({ colors, angles: angles.slice(1) })).items[0]!.angles).toHaveLength(100);
  });
});

describe('the placement of previews', () => {
  const artwork = { width: 2_000, height: 1_000, dominantRgb: null };
  const place = (placement: PreviewRequest['placement'], items: PreviewRequest['items'] = 'all') =>
    placeOnItems(wantedPreviews(catalog, request({ placement, items })), artwork);

  it('is null for all items without a placement', () => {
    expect(place(undefined)).toEqual([null, null, null]);
  });

  it('depends on the area and the resize mode of each item', () => {
    const [onShirt, onMug, onCase] = place({ scale: 0.5 });
    expect(onShirt).toEqual(onMug);
    expect(onShirt).toMatchObject({ scale: 0.5, rotation: 0, repeat: 'none' });
    // The width of the area is 300 mm; the case allows `cover`, so that its artwork is larger
    expect(onShirt!.matrix[0]).toBe(150);
    expect(onCase!.matrix[0]).toBe(400);
  });

  it.each([
    [{ x: 1_000 }, 'body.placement.x'],
    [{ offsetX: 1_000 }, 'body.placement.offsetX'],
    [{ scale: -1 }, 'body.placement.scale'],
    [{ scale: '1' }, 'body.placement.scale'],
    [{ y: null }, 'body.placement.y'],
    [{ rotation: 1e308 }, 'body.placement.rotation'],
    [{ scale: 0, spacing: -1 }, 'body.placement.scale', 'body.placement.spacing'],
  ] as const)('is rejected before the image is processed: %j', (placement, ...paths) => {
    expect(rejectionOf(() => preview({ placement }))).toEqual(['placement.invalid', ...paths]);
  });

  it.each([
    [{ x: 3 }, 'body.placement.x'],
    [{ offsetY: -3 }, 'body.placement.offsetY'],
    [{ scale: 0.01, repeat: 'grid' }, 'body.placement.scale'],
  ] as const)('is rejected if it leaves no print on an item: %j', (input, path) => {
    expect(rejectionOf(() => place(input, [mug.id]))).toEqual(['placement.invalid', path]);
  });

  it('is rejected with an error for each item on which nothing would be printed', () => {
    const errors = rejectionOf(() => place({ x: 1.1 }));
    expect(errors).toEqual(['placement.invalid', 'body.placement.x', 'body.placement.x']);
    // The artwork on the case is twice as wide, so that a part of it remains
    expect(place({ x: 1.1 }, [phoneCase.id])).toHaveLength(1);
  });
});
