import { type ResizeMode } from '#contracts';
import { DomainError } from '#kernel';
import { type ProductState } from '../products/product-change.rules.js';
import { catalog, mug, phoneCase, retiredSocks, shirt } from '../testing/catalog-fixture.js';
import { Material, type MaterialState } from './material.rules.js';

const state: MaterialState = {
  id: 12,
  userId: 3,
  title: 'Lighthouse',
  description: null,
  price: 300,
  published: true,
  violation: false,
  violationReason: null,
  uploadedAt: new Date('2025-11-20T09:00:00Z'),
  originalWidth: 2000,
  originalHeight: 1000,
  textureHash: 'a'.repeat(64),
  textureFormat: 'png',
};

const productOf = (item: typeof shirt, id: number, more: Partial<ProductState> = {}): ProductState => ({
  id,
  itemId: item.id,
  itemName: item.name,
  exemplaryVariantId: item.exemplaryVariant.id,
  published: true,
  resizeMode: null,
  prints: [],
  imageRevision: 4,
  ...more,
});
const products = [productOf(shirt, 7), productOf(phoneCase, 8, { published: false })];
const of = (over: Partial<MaterialState> = {}) => new Material({ ...state, ...over }, products);

const deletion = (viewerId: number, over: Partial<MaterialState> = {}): string => {
  const material = of(over);
  try {
    material.delete(viewerId);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(material.deleted).toBe(false);
    expect(material.events).toEqual([]);
    return error.kind.code;
  }
  return 'deleted';
};

describe('a material', () => {
  it('is deleted by its owner, and says which products and images went with it', () => {
    const material = of();
    material.delete(3);
    expect(material.deleted).toBe(true);
    expect(material.events).toEqual([
      {
        name: 'material.deleted',
        payload: {
          materialId: 12,
          userId: 3,
          productIds: [7, 8],
          filePath: '12/1763629200-2000x1000.png',
          textures: ['a'.repeat(64)],
        },
      },
    ]);
  });

  it('is not deleted by somebody who may only look at it', () => {
    expect(deletion(4)).toBe('material.not-owned');
  });

  it('is not there for somebody who may not even look at it', () => {
    expect(deletion(4, { published: false })).toBe('material.not-found');
    expect(deletion(4, { violation: true })).toBe('material.not-found');
  });

  it('is deleted by its owner although it is hidden', () => {
    expect(deletion(3, { published: false })).toBe('deleted');
    expect(deletion(3, { violation: true })).toBe('deleted');
  });
});

describe('a change of a material', () => {
  const owner = 3;
  const changed = (wanted: Parameters<Material['change']>[1], over: Partial<MaterialState> = {}) => {
    const material = of(over);
    material.change(owner, wanted, catalog);
    const [event, ...more] = material.events;
    expect(more).toEqual([]);
    if (!event) return { changes: material.changes, stale: undefined };
    if (event.name !== 'material.updated') throw new Error(event.name);
    expect(event.payload).toMatchObject({ materialId: 12, userId: owner });
    return { changes: material.changes, stale: event.payload.stale };
  };

  it('names the items whose products it unpublishes, and no other', () => {
    const unpublishedBy = (wanted: Parameters<Material['change']>[1]) => {
      const material = of();
      material.change(owner, wanted, catalog);
      return material.events;
    };
    const hidden = { itemId: shirt.id, published: false };
    const shown = { itemId: phoneCase.id, published: true };
    expect(unpublishedBy({ products: [hidden, shown] })).toMatchObject([{ payload: { unpublished: [shirt.name] } }]);
    expect(unpublishedBy({ products: [shown] })).toMatchObject([{ payload: { unpublished: [] } }]);
    expect(unpublishedBy({ title: 'Tower' })).toMatchObject([{ payload: { unpublished: [] } }]);
  });

  it('touches only what is sent and different', () => {
    expect(changed({ title: 'Tower', price: 300 })).toEqual({
      changes: { fields: { title: 'Tower' }, products: [], made: [] },
      stale: [],
    });
    expect(changed({ description: 'Old' }).changes!.fields).toEqual({ description: 'Old' });
    expect(changed({ description: null }, { description: 'Old' }).changes!.fields).toEqual({ description: null });
    expect(changed({ price: 0 }).changes!.fields).toEqual({ price: 0 });
  });

  it('is nothing, and says nothing, when everything is as it is', () => {
    const same = { title: 'Lighthouse', description: null, price: 300 };
    for (const wanted of [{}, { products: [] }, same, { products: [{ itemId: shirt.id, published: true }] }])
      expect(changed(wanted)).toEqual({ changes: undefined, stale: undefined });
  });

  it('publishes the material with its first published product and hides it with the last one', () => {
    const hidden = changed({ products: [{ itemId: shirt.id, published: false }] });
    expect(hidden.changes).toEqual({
      fields: { published: false },
      products: [{ id: 7, change: { published: false } }],
      made: [],
    });
    const both = [
      { itemId: shirt.id, published: false },
      { itemId: phoneCase.id, published: true },
    ];
    expect(changed({ products: both }).changes!.fields).toEqual({});
    const made = changed({ products: [{ itemId: mug.id, published: true }] }, { published: false });
    expect(made.changes!.fields).toEqual({ published: true });
  });

  it('says which images are wrong: of new products and of those that are laid in another way', () => {
    const mode = (resizeMode: ResizeMode | null) => changed({ products: [{ itemId: phoneCase.id, resizeMode }] }).stale;
    expect(mode('contain')).toEqual(['smartphone-case']);
    expect(mode('cover')).toEqual([]);
    expect(mode(null)).toBeUndefined();
    expect(changed({ products: [{ itemId: mug.id }] }).stale).toEqual(['mug']);
    expect(changed({ products: [{ itemId: shirt.id, exemplaryItemVariantId: 12 }] }).stale).toEqual([]);
  });

  it('counts a product on whose images become others, also while none of them may be shown', () => {
    const change = (resizeMode: ResizeMode | null, over: Partial<MaterialState> = {}) =>
      changed({ products: [{ itemId: phoneCase.id, resizeMode }] }, over).changes!.products;
    const redrawn = [{ id: 8, change: { resizeMode: 'contain', imageRevision: 5 } }];
    expect(change('contain')).toEqual(redrawn);
    expect(change('contain', { violation: true })).toEqual(redrawn);
    expect(change('cover')).toEqual([{ id: 8, change: { resizeMode: 'cover' } }]);
  });

  it('says that no image may be shown while it violates the rules', () => {
    expect(changed({ products: [{ itemId: mug.id }] }, { violation: true }).stale).toBe('all');
  });

  it('is for the owner alone, whatever else is wrong with it', () => {
    const refused = (over: Partial<MaterialState>) => () =>
      of(over).change(4, { products: [{ itemId: retiredSocks.id }] }, catalog);
    expect(refused({})).toThrow('material.not-owned');
    expect(refused({ published: false })).toThrow('material.not-found');
    expect(refused({ violation: true })).toThrow('material.not-found');
  });
});

describe('a violation', () => {
  it('hides all images, and lifting it makes all of them wanted again', () => {
    const material = of();
    material.violate('not his image');
    expect(material.changes!.fields).toEqual({ violation: true, violationReason: 'not his image' });
    expect(material.events).toEqual([
      { name: 'material.updated', payload: { materialId: 12, userId: 3, stale: 'all', unpublished: [] } },
    ]);
    const lifted = of({ violation: true, violationReason: 'not his image' });
    lifted.clear('it was his');
    expect(lifted.changes!.fields).toEqual({ violation: false, violationReason: 'it was his' });
    expect(lifted.events).toMatchObject([{ payload: { stale: ['t-shirt', 'smartphone-case'] } }]);
  });

  it('that is there, or not there, already changes nothing', () => {
    const violating = of({ violation: true, violationReason: 'first' });
    violating.violate('second');
    const clean = of();
    clean.clear('nothing to lift');
    for (const { changes, events } of [violating, clean])
      expect({ changes, events }).toEqual({ changes: undefined, events: [] });
  });
});
