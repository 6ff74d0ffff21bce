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
  dominantRgb: '#274b6d',
  animated: false,
  revision: 2,
};

const productOf = (item: typeof shirt, id: number, more: Partial<ProductState> = {}): ProductState => ({
  id,
  itemId: item.id,
  itemName: item.name,
  exemplaryVariantId: item.exemplaryVariant.id,
  published: true,
  resizeMode: null,
  placement: null,
  prints: [],
  imageRevision: 4,
  revision: 1,
  ...more,
});
const products = [productOf(shirt, 7), productOf(phoneCase, 8, { published: false })];
const of = (over: Partial<MaterialState> = {}) => new Material({ ...state, ...over }, products);

const shownBy = (material: Material) =>
  material.visibilityEvents['product.published'].map(({ productId }) => productId);
const hiddenBy = (material: Material) =>
  material.visibilityEvents['product.unpublished'].map(({ productId }) => productId);

const deletion = (viewerId: number, over: Partial<MaterialState> = {}): string => {
  const material = of(over);
  try {
    material.delete(viewerId);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(material.deleted).toBe(false);
    expect(material.event).toBeUndefined();
    return error.kind.code;
  }
  return 'deleted';
};

describe('Material.delete', () => {
  it('appends an event with the deleted products and textures', () => {
    const material = of();
    material.delete(3);
    expect(material.deleted).toBe(true);
    expect(material.event).toEqual({
      name: 'material.deleted',
      payload: {
        materialId: 12,
        userId: 3,
        productIds: [7, 8],
        filePath: '12/1763629200-2000x1000.png',
        textures: ['a'.repeat(64)],
        revision: 3,
      },
    });
    expect(hiddenBy(material)).toEqual([7]);
  });

  it('rejects a viewer who may see the material but is not its owner', () => {
    expect(deletion(4)).toBe('material.not-owned');
  });

  it('reports a hidden material as missing to other users', () => {
    expect(deletion(4, { published: false })).toBe('material.not-found');
    expect(deletion(4, { violation: true })).toBe('material.not-found');
  });

  it('lets the owner delete a hidden material', () => {
    expect(deletion(3, { published: false })).toBe('deleted');
    expect(deletion(3, { violation: true })).toBe('deleted');
  });
});

describe('Material.change', () => {
  const owner = 3;
  const changed = (wanted: Parameters<Material['change']>[1], over: Partial<MaterialState> = {}) => {
    const material = of(over);
    material.change(owner, wanted, catalog);
    const { event } = material;
    if (!event) return { changes: material.changes, stale: undefined };
    if (event.name !== 'material.updated') throw new Error(event.name);
    expect(event.payload).toMatchObject({ materialId: 12, userId: owner });
    return { changes: material.changes, stale: event.payload.stale };
  };

  it('lists the items whose products a change unpublishes in the event', () => {
    const eventOf = (wanted: Parameters<Material['change']>[1]) => {
      const material = of();
      material.change(owner, wanted, catalog);
      return material.event;
    };
    const unpublish = { itemId: shirt.id, published: false };
    const publish = { itemId: phoneCase.id, published: true };
    expect(eventOf({ products: [unpublish, publish] })).toMatchObject({ payload: { unpublished: [shirt.name] } });
    expect(eventOf({ products: [publish] })).toMatchObject({ payload: { unpublished: [] } });
    expect(eventOf({ title: 'Tower' })).toMatchObject({ payload: { unpublished: [] } });
  });

  it('lists the changed parts in the event', () => {
    const changedParts = (wanted: Parameters<Material['change']>[1]) => {
      const material = of();
      material.change(owner, wanted, catalog);
      return (material.event as { payload: { changed: string[] } }).payload.changed;
    };
    expect(changedParts({ title: 'Tower', description: 'x', price: 300 })).toEqual(['title', 'description']);
    expect(changedParts({ price: 0 })).toEqual(['price']);
    expect(changedParts({ products: [{ itemId: shirt.id, published: false }] })).toEqual(['products']);
    expect(changedParts({ title: 'Tower', products: [{ itemId: mug.id }] })).toEqual(['title', 'products']);
  });

  it('shows and hides the products whose visibility to all users changes, not during a violation', () => {
    const wanted = {
      products: [
        { itemId: shirt.id, published: false },
        { itemId: phoneCase.id, published: true },
      ],
    };
    const material = of();
    material.change(owner, wanted, catalog);
    const ids = { userId: owner, materialId: 12, revision: 2 };
    expect(material.visibilityEvents).toEqual({
      'product.published': [{ ...ids, productId: 8, itemId: phoneCase.id }],
      'product.unpublished': [{ ...ids, productId: 7, itemId: shirt.id }],
    });
    const hidden = of({ violation: true });
    hidden.change(owner, wanted, catalog);
    const renamed = of();
    renamed.change(owner, { title: 'Tower' }, catalog);
    for (const it of [hidden, renamed]) expect([shownBy(it), hiddenBy(it)]).toEqual([[], []]);
  });

  it('changes only fields with another value', () => {
    expect(changed({ title: 'Tower', price: 300 })).toEqual({
      changes: { fields: { title: 'Tower' }, products: [], created: [] },
      stale: [],
    });
    expect(changed({ description: 'Old' }).changes!.fields).toEqual({ description: 'Old' });
    expect(changed({ description: null }, { description: 'Old' }).changes!.fields).toEqual({ description: null });
    expect(changed({ price: 0 }).changes!.fields).toEqual({ price: 0 });
  });

  it('writes nothing and appends no event for unchanged values', () => {
    const same = { title: 'Lighthouse', description: null, price: 300 };
    for (const wanted of [{}, { products: [] }, same, { products: [{ itemId: shirt.id, published: true }] }])
      expect(changed(wanted)).toEqual({ changes: undefined, stale: undefined });
  });

  it('publishes the material with its first published product, and unpublishes it with its last one', () => {
    const hidden = changed({ products: [{ itemId: shirt.id, published: false }] });
    expect(hidden.changes).toEqual({
      fields: { published: false },
      products: [{ id: 7, change: { published: false } }],
      created: [],
    });
    const both = [
      { itemId: shirt.id, published: false },
      { itemId: phoneCase.id, published: true },
    ];
    expect(changed({ products: both }).changes!.fields).toEqual({});
    const withMug = changed({ products: [{ itemId: mug.id, published: true }] }, { published: false });
    expect(withMug.changes!.fields).toEqual({ published: true });
  });

  it('lists stale images of new products and of products with another resize mode', () => {
    const mode = (resizeMode: ResizeMode | null) => changed({ products: [{ itemId: phoneCase.id, resizeMode }] }).stale;
    expect(mode('contain')).toEqual(['smartphone-case']);
    expect(mode('cover')).toEqual([]);
    expect(mode(null)).toBeUndefined();
    expect(changed({ products: [{ itemId: mug.id }] }).stale).toEqual(['mug']);
    expect(changed({ products: [{ itemId: shirt.id, exemplaryItemVariantId: 12 }] }).stale).toEqual([]);
  });

  it('increments the revision of changed images, also during a violation', () => {
    const change = (resizeMode: ResizeMode | null, over: Partial<MaterialState> = {}) =>
      changed({ products: [{ itemId: phoneCase.id, resizeMode }] }, over).changes!.products;
    const expected = [{ id: 8, change: { resizeMode: 'contain', imageRevision: 5 } }];
    expect(change('contain')).toEqual(expected);
    expect(change('contain', { violation: true })).toEqual(expected);
    expect(change('cover')).toEqual([{ id: 8, change: { resizeMode: 'cover' } }]);
  });

  it('does not increment it for a disabled print, which is not visible', () => {
    const placement = { scale: 0.5 };
    const withPrint = (enabled: boolean) => {
      const print = {
        place: 'back',
        textureHash: 'b'.repeat(64),
        enabled,
        artwork: { width: 20, height: 10, dominantRgb: null },
      };
      const material = new Material(state, [productOf(shirt, 7, { prints: [print] })]);
      material.change(
        3,
        { products: [{ itemId: shirt.id, sub_materials: [{ printSide: 'back', placement }] }] },
        catalog,
      );
      return material;
    };
    const changes = (material: Material) => material.changes!.products.map(({ change }) => Object.keys(change).sort());
    expect(changes(withPrint(false))).toEqual([['prints']]);
    expect(withPrint(false).event).toMatchObject({ payload: { stale: [] } });
    expect(changes(withPrint(true))).toEqual([['imageRevision', 'prints']]);
    expect(withPrint(true).event).toMatchObject({ payload: { stale: ['t-shirt'] } });
  });

  it('lists all images as stale during a violation', () => {
    expect(changed({ products: [{ itemId: mug.id }] }, { violation: true }).stale).toBe('all');
  });

  it('checks the owner before validating the change', () => {
    const changeByOther = (over: Partial<MaterialState>) => () =>
      of(over).change(4, { products: [{ itemId: retiredSocks.id }] }, catalog);
    expect(changeByOther({})).toThrow('material.not-owned');
    expect(changeByOther({ published: false })).toThrow('material.not-found');
    expect(changeByOther({ violation: true })).toThrow('material.not-found');
  });
});

describe('Material.violate and clear', () => {
  it('append an event that lists all images as stale', () => {
    const material = of();
    material.violate('not his image');
    expect(material.changes!.fields).toEqual({ violation: true, violationReason: 'not his image' });
    const payload = { materialId: 12, userId: 3, stale: 'all', unpublished: [], changed: ['violation'], revision: 3 };
    expect(material.event).toEqual({ name: 'material.updated', payload });
    expect(hiddenBy(material)).toEqual([7]);
    const cleared = of({ violation: true, violationReason: 'not his image' });
    cleared.clear('it was his');
    expect(cleared.changes!.fields).toEqual({ violation: false, violationReason: 'it was his' });
    const changed = { stale: ['t-shirt', 'smartphone-case'], changed: ['violation'], revision: 3 };
    expect(cleared.event).toMatchObject({ payload: changed });
    expect(shownBy(cleared)).toEqual([7]);
  });

  it('change nothing when repeated', () => {
    const violating = of({ violation: true, violationReason: 'first' });
    violating.violate('second');
    const clean = of();
    clean.clear('no violation');
    for (const { changes, event } of [violating, clean]) expect([changes, event]).toEqual([undefined, undefined]);
  });
});
