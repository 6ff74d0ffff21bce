import { Injectable } from '@nestjs/common';
import { type EventPayload, limits, type ProductVariant } from '#contracts';
import { appendEvent } from '#events';
import { Database, lockAuthor, type Tx } from '#persistence';
import { productNotFound } from '../products/product.errors.js';
import { ProductRepository } from '../products/product.repository.js';
import { ChoiceEntity } from './choice.entity.js';
import { choiceFull, choiceNotFound, choiceNotOwned, tooManyChoices } from './choice.errors.js';
import { ChoiceProductEntity } from './choice-product.entity.js';
import { changedFields, sameEntries } from './choice.rules.js';
import type { ChosenEntry } from './chosen-entry.rules.js';

/** Fields of a choice. An update does not change undefined fields. */
interface ChoiceFields {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly bannerUrl?: string | null | undefined;
  readonly secret?: boolean | undefined;
}

/** Choice to change, and the user who changes it. */
interface ChoiceTarget {
  readonly viewerId: number;
  readonly choiceId: number;
}

/** Product in one variant, or in all variants. */
type MovedEntry = Pick<ProductVariant, 'productId'> & Partial<ProductVariant>;

type Changed = EventPayload<'choice.updated'>['changed'];

/** Builds the result of a change inside its transaction. */
type BuildResult<R> = (tx: Tx, choiceId: number) => Promise<R>;

const insertEntries = `
  insert into choice_products (choice_id, product_id, item_variant_id, position)
  select $1, product_id, item_variant_id, position
  from unnest($2::bigint[], $3::bigint[]) with ordinality as entry (product_id, item_variant_id, position)
  order by position
  on conflict (choice_id, product_id, item_variant_id) do nothing`;

const insertFirst = `
  insert into choice_products (choice_id, product_id, item_variant_id, position)
  select $1::bigint, $2::bigint, $3::bigint, coalesce(min(position), 0) - 1 from choice_products where choice_id = $1
  on conflict (choice_id, product_id, item_variant_id) do nothing
  returning product_id`;

// Updates no row when the entries are already first
const moveFirst = `
  with entries as (
    select item_variant_id, position, product_id = $2 and item_variant_id = coalesce($3::bigint, item_variant_id) as is_moved
    from choice_products where choice_id = $1
  ), moved as (
    select item_variant_id, row_number() over (order by position) - 1 - count(*) over ()
      + (select min(position) from entries) as position
    from entries where is_moved
  )
  update choice_products entry
  set position = moved.position
  from moved
  where entry.choice_id = $1 and entry.product_id = $2 and entry.item_variant_id = moved.item_variant_id
    and (select min(position) from entries where not is_moved) < (select max(position) from entries where is_moved)`;

/** Serializes the creations of one user, so that each counts the choices created before it. */
const lockCreation = `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' choices ' || $1, 0))`;

/** Counts the choices of a user, with one count for each of the two partial indexes. */
const countChoices = `
  select (select count(*) from choices where user_id = $1 and not secret)
    + (select count(*) from choices where user_id = $1 and secret) as count`;

/**
 * Repository of choices. Every change locks the choice first, its products second and its entries
 * last, which prevents deadlocks, and appends the event `choice.updated`. A request that changes
 * nothing appends none.
 */
@Injectable()
export class ChoiceRepository {
  constructor(
    private readonly database: Database,
    private readonly products: ProductRepository,
  ) {}

  /**
   * Creates a choice.
   *
   * @throws DomainError choice.too-many; product.not-found when a product has been deleted since it
   *   was chosen; user.not-found for a deleted user
   */
  create<R>(
    fields: ChoiceFields & { readonly userId: number; readonly title: string },
    entries: readonly ChosenEntry[],
    buildResult: BuildResult<R>,
  ): Promise<R> {
    return this.database.transaction(async (tx) => {
      await lockAuthor(tx, fields.userId);
      await tx.query(lockCreation, [fields.userId]);
      const [owned] = await tx.query<{ count: number }[]>(countChoices, [fields.userId]);
      if (owned!.count >= limits.choicesPerUser) throw tooManyChoices();
      const { identifiers } = await tx.insert(ChoiceEntity, { ...fields, secret: fields.secret ?? false });
      const choiceId = identifiers[0]!.id as number;
      await this.replaceEntries(tx, choiceId, entries);
      await appendChange(tx, { id: choiceId, userId: fields.userId, revision: 0 }, ['created']);
      return buildResult(tx, choiceId);
    });
  }

  /**
   * Changes fields, and replaces all entries unless `entries` is undefined.
   *
   * @throws DomainError choice.not-found, choice.not-owned, product.not-found
   */
  update<R>(
    target: ChoiceTarget,
    fields: ChoiceFields,
    entries: readonly ChosenEntry[] | undefined,
    buildResult: BuildResult<R>,
  ): Promise<R> {
    return this.change(target, buildResult, async (tx, choice) => {
      await tx.update(ChoiceEntity, choice.id, { ...fields, updatedAt: () => 'now()' });
      const changed: Changed = changedFields(choice, fields);
      if (!entries || !(await this.replaceEntries(tx, choice.id, entries))) return changed;
      return [...changed, 'choiceProducts'];
    });
  }

  /**
   * Inserts an entry before all others. An entry that exists already does not move. Without an
   * entry, nothing changes.
   *
   * @throws DomainError choice.not-found, choice.not-owned, choice.full, product.not-found
   */
  add<R>(target: ChoiceTarget, entry: ChosenEntry | undefined, buildResult: BuildResult<R>): Promise<R> {
    return this.change(target, buildResult, async (tx, { id: choiceId }) => {
      if (!entry) return [];
      await this.lockProducts(tx, [entry]);
      const added = await tx.query<object[]>(insertFirst, [choiceId, entry.productId, entry.itemVariantId]);
      if ((await tx.countBy(ChoiceProductEntity, { choiceId })) > limits.choiceProducts) throw choiceFull(choiceId);
      return entriesChange(added.length);
    });
  }

  /**
   * Removes a product in one variant, or in all variants. Nothing changes without a product or for
   * a missing entry.
   *
   * @throws DomainError choice.not-found, choice.not-owned
   */
  remove<R>(target: ChoiceTarget, entry: Partial<ProductVariant>, buildResult: BuildResult<R>): Promise<R> {
    const { productId, itemVariantId } = entry;
    return this.change(target, buildResult, async (tx, { id: choiceId }) => {
      if (productId === undefined) return [];
      const variant = itemVariantId === undefined ? {} : { itemVariantId };
      const { affected } = await tx.delete(ChoiceProductEntity, { choiceId, productId, ...variant });
      return entriesChange(affected!);
    });
  }

  /**
   * Moves a product in one variant, or in all variants in their order, before all other entries.
   * Nothing changes for a missing entry.
   *
   * @throws DomainError choice.not-found, choice.not-owned
   */
  moveFirst<R>(target: ChoiceTarget, entry: MovedEntry, buildResult: BuildResult<R>): Promise<R> {
    const { productId, itemVariantId } = entry;
    return this.change(target, buildResult, async (tx, { id: choiceId }) => {
      const [, moved] = await tx.query<[object[], number]>(moveFirst, [choiceId, productId, itemVariantId]);
      return entriesChange(moved);
    });
  }

  /** @throws DomainError choice.not-found, choice.not-owned */
  delete(target: ChoiceTarget): Promise<void> {
    return this.change(
      target,
      () => Promise.resolve(),
      async (tx, { id }) => {
        await tx.delete(ChoiceEntity, id);
        return ['deleted'];
      },
    );
  }

  private change<R>(
    { viewerId, choiceId }: ChoiceTarget,
    buildResult: BuildResult<R>,
    work: (tx: Tx, choice: ChoiceEntity) => Promise<Changed>,
  ): Promise<R> {
    return this.database.transaction(async (tx) => {
      const choice = await tx.findOne(ChoiceEntity, { where: { id: choiceId }, lock: { mode: 'pessimistic_write' } });
      if (!choice || (choice.secret && choice.userId !== viewerId)) throw choiceNotFound(choiceId);
      if (choice.userId !== viewerId) throw choiceNotOwned(choiceId);
      await appendChange(tx, choice, await work(tx, choice));
      return buildResult(tx, choiceId);
    });
  }

  /**
   * Replaces all entries. Of equal entries only the first is stored.
   *
   * @returns false when the choice has these entries already
   */
  private async replaceEntries(tx: Tx, choiceId: number, entries: readonly ChosenEntry[]): Promise<boolean> {
    await this.lockProducts(tx, entries);
    const stored = await tx.find(ChoiceProductEntity, { where: { choiceId }, order: { position: 'asc' } });
    if (sameEntries(stored, entries)) return false;
    await tx.delete(ChoiceProductEntity, { choiceId });
    const productIds = entries.map(({ productId }) => productId);
    const itemVariantIds = entries.map(({ itemVariantId }) => itemVariantId);
    await tx.query(insertEntries, [choiceId, productIds, itemVariantIds]);
    return true;
  }

  /**
   * Locks the products of entries, so that none is deleted before the entries are committed.
   *
   * @throws DomainError product.not-found, with the path of each entry whose product is deleted
   */
  private async lockProducts(tx: Tx, entries: readonly ChosenEntry[]): Promise<void> {
    const existing = await this.products.lock(
      tx,
      entries.map(({ productId }) => productId),
    );
    const missing = entries.filter(({ productId }) => !existing.has(productId));
    if (missing.length === 0) return;
    const message = 'is not a product';
    throw productNotFound(
      missing[0]!.productId,
      missing.map(({ path }) => ({ path, message })),
    );
  }
}

const entriesChange = (count: number): Changed => (count === 0 ? [] : ['choiceProducts']);

/**
 * Increments the revision of a locked choice, and appends the event of the change. Has no effect if
 * nothing has changed.
 */
async function appendChange(
  tx: Tx,
  { id, userId, revision }: Pick<ChoiceEntity, 'id' | 'userId' | 'revision'>,
  changed: Changed,
): Promise<void> {
  if (changed.length === 0) return;
  const next = revision + 1;
  await tx.update(ChoiceEntity, id, { revision: next });
  await appendEvent(tx, 'choice.updated', { choiceId: id, userId, changed, revision: next });
}
