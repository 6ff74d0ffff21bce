import { DomainError } from '#kernel';
import { Material, type MaterialState } from './material.js';

const state: MaterialState = {
  id: 12,
  userId: 3,
  published: true,
  violation: false,
  uploadedAt: new Date('2025-11-20T09:00:00Z'),
  originalWidth: 2000,
  originalHeight: 1000,
  textureFormat: 'png',
};

const deletion = (viewerId: number, over: Partial<MaterialState> = {}): string => {
  const material = new Material({ ...state, ...over }, [7, 8]);
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
  it('is deleted by its owner, and says which products and pictures went with it', () => {
    const material = new Material(state, [7, 8]);
    material.delete(3);
    expect(material.deleted).toBe(true);
    expect(material.events).toEqual([
      {
        name: 'material.deleted',
        payload: { materialId: 12, userId: 3, productIds: [7, 8], filePath: '12/1763629200-2000x1000.png' },
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
