import { Injectable } from '@nestjs/common';
import { problems } from '#contracts';
import { appendEvent, appendEvents } from '#events';
import type { StoredResponse, StoreResponse } from '#idempotency';
import { DomainError, searchColumns } from '#kernel';
import { Database, type Run, type Sync, type Tx, userDeleted, violatedConstraint } from '#persistence';
import type { RawReply } from '#request-queue';
import type { MaterialAndProductRow } from '../products/caching/product-json.cache.js';
import { type ProductState } from '../products/product-change.rules.js';
import { type ProductDraft } from '../products/product-draft.rules.js';
import { ProductEntity } from '../products/product.entity.js';
import { visibilityEvents, type VisibilityEvents } from '../products/product-visibility.rules.js';
import { materialNotFound } from './material.errors.js';
import { Material, type MaterialChanges, type MaterialDraft } from './material.rules.js';
import { MaterialEntity } from './material.entity.js';
import { insertMaterial, newMaterialParameters } from './new-material.queries.js';

const now = (): string => 'now()';

/** Returns the change of `publishedAt`: set at the first publication and never cleared. */
const publishedAtChange = ({ published }: { readonly published?: boolean }) =>
  published ? { publishedAt: () => 'coalesce(published_at, now())' } : {};

/** Problem of each constraint that can fail after validation, if the catalog has changed since. */
const problemOfConstraint = {
  products_material_item_key: problems['product.duplicate-item'],
  products_item_fk: problems['item.not-found'],
  products_variant_fk: problems['item-variant.not-of-item'],
};

/** Fields that products copy from their material. */
type SharedFields = Pick<MaterialEntity, 'id' | 'userId' | 'violation' | 'title'>;

/**
 * Loads and saves materials with their products. Each change and its events are one transaction.
 */
@Injectable()
export class MaterialRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts a material and its products in the given order, and appends `material.created` and
   * `product.published` of each visible product. One statement, in a transaction of its own unless
   * the reply is stored.
   *
   * @param replyTo returns the reply to the inserted rows. Without `storeReply` it is called after
   *   the commit: if it throws, the material exists although the request failed
   * @param storeReply stores the reply in the same transaction; undefined for a request without an
   *   idempotency key
   * @throws DomainError user.not-found for a deleted user; product.duplicate-item, item.not-found
   *   or item-variant.not-of-item when a constraint rejects a product; what `storeReply` throws
   */
  async create(
    draft: MaterialDraft,
    replyTo: (rows: readonly MaterialAndProductRow[]) => RawReply,
    storeReply: StoreResponse | undefined,
  ): Promise<StoredResponse> {
    const insert = async (run: Run): Promise<RawReply> => {
      const rows = await run<MaterialAndProductRow>(insertMaterial, newMaterialParameters(draft));
      if (rows.length === 0) throw userDeleted(draft.userId);
      return replyTo(rows);
    };
    try {
      if (!storeReply)
        return (await insert((sql, parameters) => this.database.write(sql, parameters))) as StoredResponse;
      return await this.database.transaction(async (tx) =>
        storeReply(tx, await insert((sql, parameters) => tx.query(sql, [...parameters]))),
      );
    } catch (error) {
      throw toDomainError(error);
    }
  }

  /**
   * Changes a material under its lock and appends the events of the change.
   *
   * @param change changes the material; if `change` throws, the transaction is rolled back
   * @throws DomainError material.not-found; what `change` throws; the errors of `create` for a
   *   product that a constraint rejects
   */
  async update<R>(materialId: number, change: (material: Material) => R & Sync<R>): Promise<R> {
    try {
      return await this.database.transaction(async (tx) => {
        const state = await lockMaterial(tx, materialId);
        const material = new Material(state, await productsOf(tx, materialId));
        const result = change(material);
        if (!material.event) return result;
        await appendEvent(tx, material.event.name, material.event.payload);
        await appendVisibilityEvents(tx, material.visibilityEvents);
        if (material.deleted) await tx.delete(MaterialEntity, materialId);
        else if (material.changes) {
          await incrementRevisions(tx, material.visibilityEvents);
          await appendVisibilityEvents(tx, await save(tx, state, material.changes));
        }
        return result;
      });
    } catch (error) {
      throw toDomainError(error);
    }
  }
}

/** Inserts products and returns the events of the visible ones. */
async function insertProducts(
  tx: Tx,
  shared: SharedFields,
  products: readonly ProductDraft[],
): Promise<VisibilityEvents> {
  const { id: materialId, userId, violation } = shared;
  const rows = products.map((product) => ({
    ...product,
    ...searchColumns(shared.title),
    prints: [...product.prints],
    materialId,
    userId,
    violation,
    publishedAt: product.published ? now : null,
    revision: product.published && !violation ? 1 : 0,
  }));
  const { identifiers } = rows.length === 0 ? { identifiers: [] } : await tx.insert(ProductEntity, rows);
  const visibility = rows.map(({ itemId, published }, index) => ({
    id: identifiers[index]!.id as number,
    itemId,
    revision: 0,
    before: false,
    after: published && !violation,
  }));
  return visibilityEvents({ materialId, userId }, visibility);
}

/** Increments the revision of each product with an event. */
async function incrementRevisions(tx: Tx, events: VisibilityEvents): Promise<void> {
  const ids = Object.values(events).flatMap((payloads) => payloads.map(({ productId }) => productId));
  if (ids.length > 0) await tx.query('update products set revision = revision + 1 where id = any($1)', [ids]);
}

async function appendVisibilityEvents(tx: Tx, events: VisibilityEvents): Promise<void> {
  await appendEvents(tx, 'product.published', events['product.published']);
  await appendEvents(tx, 'product.unpublished', events['product.unpublished']);
}

async function lockMaterial(tx: Tx, id: number): Promise<MaterialEntity> {
  const state = await tx.findOne(MaterialEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!state) throw materialNotFound(id);
  return state;
}

const productsOf = (tx: Tx, materialId: number): Promise<ProductState[]> =>
  tx.query(
    `select p.id, p.item_id as "itemId", i.name as "itemName", p.exemplary_variant_id as "exemplaryVariantId",
       p.published, p.resize_mode as "resizeMode", p.placement, p.prints, p.image_revision as "imageRevision", p.revision
     from products p join items i on i.id = p.item_id
     where p.material_id = $1
     order by p.id`,
    [materialId],
  );

/** Writes the changes and returns the events of new products. */
async function save(
  tx: Tx,
  state: MaterialEntity,
  { fields, products, created }: MaterialChanges,
): Promise<VisibilityEvents> {
  const revision = state.revision + 1;
  await tx.update(MaterialEntity, state.id, { ...fields, ...publishedAtChange(fields), revision, updatedAt: now });
  await saveSharedFields(tx, state.id, fields);
  for (const { id, change } of products) {
    const { prints, ...rest } = change;
    const values = { ...rest, ...(prints && { prints: [...prints] }), ...publishedAtChange(change) };
    await tx.update(ProductEntity, id, { ...values, updatedAt: now });
  }
  const { id, userId, title, violation } = state;
  return insertProducts(tx, { id, userId, title, violation, ...fields }, created);
}

/**
 * Updates all products if the title or price of the material has changed: both are part of a
 * product's JSON, hence `updatedAt`, and the search columns contain the title.
 */
async function saveSharedFields(
  tx: Tx,
  materialId: number,
  { title, price }: MaterialChanges['fields'],
): Promise<void> {
  if (title === undefined && price === undefined) return;
  const search = title === undefined ? {} : searchColumns(title);
  await tx.update(ProductEntity, { materialId }, { ...search, updatedAt: now });
}

/** Returns the error of a violated constraint as a DomainError, other errors unchanged. */
function toDomainError(error: unknown): unknown {
  const constraint = violatedConstraint(error);
  if (constraint === undefined || !(constraint in problemOfConstraint)) return error;
  const kind = problemOfConstraint[constraint as keyof typeof problemOfConstraint];
  return new DomainError(kind, `${kind.title}; the catalog has changed during the request.`);
}
