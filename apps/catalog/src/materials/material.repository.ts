import { Injectable } from '@nestjs/common';
import { problems } from '#contracts';
import { appendEvent } from '#events';
import { DomainError, searchColumns } from '#kernel';
import { Database, holdAuthor, type Sync, type Tx, violatedConstraint } from '#persistence';
import { type ProductState } from '../products/product-change.rules.js';
import { ProductEntity } from '../products/product.entity.js';
import { materialNotFound } from './material.errors.js';
import { Material, type MaterialChanges, type MaterialDraft, type ProductDraft } from './material.rules.js';
import { MaterialEntity } from './material.entity.js';

const now = (): string => 'now()';

/** The time of the first publication stays, also while nothing is published. */
const publication = ({ published }: { readonly published?: boolean }) =>
  published ? { publishedAt: () => 'coalesce(published_at, now())' } : {};

/** What the tables refuse although the catalogue in memory allowed it: it had changed in between. */
const refusals = {
  products_material_item_key: problems['product.duplicate-item'],
  products_item_fk: problems['item.not-found'],
  products_variant_fk: problems['item-variant.not-of-item'],
};

/** What products copy from their material. */
type OfProducts = Pick<MaterialEntity, 'id' | 'userId' | 'violation' | 'title'>;

/** Loads and saves materials with their products; every change is one transaction with its events. */
@Injectable()
export class MaterialRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes a new material, its products in the order given, and `material.created`.
   *
   * @param answer is read and kept in the same transaction; it may wait for nothing but that
   */
  create<Answer>(draft: MaterialDraft, answer: (tx: Tx, materialId: number) => Promise<Answer>): Promise<Answer> {
    return this.write(async (tx) => {
      const { userId, title, products } = draft;
      await holdAuthor(tx, userId);
      const id = await insertMaterial(tx, draft);
      await insertProducts(tx, { id, userId, title, violation: false }, products);
      await appendEvent(tx, 'material.created', { materialId: id, userId, title });
      return answer(tx, id);
    });
  }

  /**
   * Changes a material under its lock and sends the events the change collected.
   *
   * @param change what happens to it; what it throws undoes everything
   * @throws DomainError material.not-found
   */
  update<R>(materialId: number, change: (material: Material) => R & Sync<R>): Promise<R> {
    return this.write(async (tx) => {
      const state = await lock(tx, materialId);
      const material = new Material(state, await productsOf(tx, materialId));
      const result = change(material);
      if (material.deleted) await tx.delete(MaterialEntity, materialId);
      else if (material.changes) await save(tx, state, material.changes);
      for (const { name, payload } of material.events) await appendEvent(tx, name, payload);
      return result;
    });
  }

  private async write<R>(work: (tx: Tx) => Promise<R>): Promise<R> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      throw refusalOf(error);
    }
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

async function insertProducts(tx: Tx, of: OfProducts, products: readonly ProductDraft[]): Promise<void> {
  if (products.length === 0) return;
  const rows = products.map((product) => ({
    ...product,
    ...searchColumns(of.title),
    prints: [...product.prints],
    materialId: of.id,
    userId: of.userId,
    violation: of.violation,
    publishedAt: product.published ? now : null,
  }));
  await tx.insert(ProductEntity, rows);
}

async function lock(tx: Tx, id: number): Promise<MaterialEntity> {
  const state = await tx.findOne(MaterialEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!state) throw materialNotFound(id);
  return state;
}

const productsOf = (tx: Tx, materialId: number): Promise<ProductState[]> =>
  tx.query(
    `select p.id, p.item_id as "itemId", i.name as "itemName", p.exemplary_variant_id as "exemplaryVariantId",
       p.published, p.resize_mode as "resizeMode", p.prints, p.picture_revision as "imageRevision"
     from products p join items i on i.id = p.item_id
     where p.material_id = $1
     order by p.id`,
    [materialId],
  );

async function save(tx: Tx, state: MaterialEntity, { fields, products, made }: MaterialChanges): Promise<void> {
  await tx.update(MaterialEntity, state.id, { ...fields, ...publication(fields), updatedAt: now });
  await saveShared(tx, state.id, fields);
  for (const it of products)
    await tx.update(ProductEntity, it.id, { ...it.change, ...publication(it.change), updatedAt: now });
  const { id, userId, title, violation } = state;
  await insertProducts(tx, { id, userId, title, violation, ...fields }, made);
}

/** A product shows the title and the price of its material, so that a change of these is a change of all products. */
async function saveShared(tx: Tx, materialId: number, { title, price }: MaterialChanges['fields']): Promise<void> {
  if (title === undefined && price === undefined) return;
  const search = title === undefined ? {} : searchColumns(title);
  await tx.update(ProductEntity, { materialId }, { ...search, updatedAt: now });
}

function refusalOf(error: unknown): unknown {
  const constraint = violatedConstraint(error);
  if (constraint === undefined || !(constraint in refusals)) return error;
  const kind = refusals[constraint as keyof typeof refusals];
  return new DomainError(kind, `${kind.title}; the catalogue has just changed.`);
}
