import { Injectable } from '@nestjs/common';
import { problems } from '#contracts';
import { appendEvent } from '#events';
import { DomainError } from '#kernel';
import { Database, type Sync, type Tx, violatedConstraint } from '#persistence';
import { ProductEntity } from '../products/product.entity.js';
import { materialNotFound } from './material.errors.js';
import { Material, type MaterialDraft } from './material.js';
import { MaterialEntity } from './material.entity.js';

const now = (): string => 'now()';

/** What the tables refuse although the catalogue in memory allowed it: it had changed in between. */
const refusals = {
  products_material_item_key: problems['product.duplicate-item'],
  products_item_fk: problems['item.not-found'],
  products_variant_fk: problems['item-variant.not-of-item'],
};

/** Loads and saves materials with their products; every change is one transaction with its events. */
@Injectable()
export class MaterialRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes a new material, its products in the order given, and `material.created`.
   *
   * @returns the id of the material
   */
  async create(draft: MaterialDraft): Promise<number> {
    try {
      return await this.database.transaction(async (tx) => {
        const materialId = await insertMaterial(tx, draft);
        await insertProducts(tx, materialId, draft);
        await appendEvent(tx, 'material.created', { materialId, userId: draft.userId, title: draft.title });
        return materialId;
      });
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /**
   * Changes a material under its lock and sends the events the change collected.
   *
   * @param change what happens to it; what it throws undoes everything
   * @throws DomainError material.not-found
   */
  update<R>(materialId: number, change: (material: Material) => R & Sync<R>): Promise<R> {
    return this.database.transaction(async (tx) => {
      const material = await lock(tx, materialId);
      const result = change(material);
      if (material.deleted) await tx.delete(MaterialEntity, materialId);
      for (const { name, payload } of material.events) await appendEvent(tx, name, payload);
      return result;
    });
  }
}

async function insertMaterial(tx: Tx, { products, texture, ...fields }: MaterialDraft): Promise<number> {
  const published = products.some((product) => product.published);
  const { identifiers } = await tx.insert(MaterialEntity, {
    userId: fields.userId,
    title: fields.title,
    description: fields.description,
    price: fields.price,
    published,
    publishedAt: published ? now : null,
    textureHash: texture.hash,
    textureFormat: texture.format,
    originalWidth: texture.width,
    originalHeight: texture.height,
    dominantRgb: texture.dominantRgb,
  });
  return identifiers[0]!.id as number;
}

async function insertProducts(tx: Tx, materialId: number, { userId, products }: MaterialDraft): Promise<void> {
  if (products.length === 0) return;
  const rows = products.map((product) => ({
    ...product,
    prints: [...product.prints],
    materialId,
    userId,
    publishedAt: product.published ? now : null,
  }));
  await tx.insert(ProductEntity, rows);
}

async function lock(tx: Tx, id: number): Promise<Material> {
  const state = await tx.findOne(MaterialEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!state) throw materialNotFound(id);
  const products = await tx.find(ProductEntity, {
    select: { id: true },
    where: { materialId: id },
    order: { id: 'ASC' },
  });
  return new Material(
    state,
    products.map((product) => product.id),
  );
}

function refusalOf(error: unknown): unknown {
  const constraint = violatedConstraint(error);
  if (constraint === undefined || !(constraint in refusals)) return error;
  const kind = refusals[constraint as keyof typeof refusals];
  return new DomainError(kind, `${kind.title}; the catalogue has just changed.`);
}
