import { Injectable } from '@nestjs/common';
import { limits, type ProductVariant } from '#contracts';
import { Database, holdAuthor, type Tx } from '#persistence';
import { productNotFound } from '../products/product.errors.js';
import { ProductRepository } from '../products/product.repository.js';
import { ChoiceEntity } from './choice.entity.js';
import { choiceFull, choiceNotFound, choiceNotOwned, tooManyChoices } from './choice.errors.js';
import { ChoiceProductEntity } from './choice-product.entity.js';
import type { ChosenEntry } from './chosen-entry.rules.js';

/** Fields of a choice; on a change, what is undefined stays. */
interface ChoiceFields {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly bannerUrl?: string | null | undefined;
  readonly secret?: boolean | undefined;
}

/** A choice and who wishes to change it. */
interface ChoiceAddress {
  readonly viewerId: number;
  readonly choiceId: number;
}

/** Makes the result inside the transaction. */
type Answer<R> = (tx: Tx, choiceId: number) => Promise<R>;

const insertInOrder = `
  insert into choice_products (choice_id, product_id, item_variant_id, position)
  select $1, product_id, item_variant_id, position
  from unnest($2::bigint[], $3::bigint[]) with ordinality as entry (product_id, item_variant_id, position)
  order by position
  on conflict (choice_id, product_id, item_variant_id) do nothing`;

const insertFirst = `
  insert into choice_products (choice_id, product_id, item_variant_id, position)
  select $1::bigint, $2::bigint, $3::bigint, coalesce(min(position), 0) - 1 from choice_products where choice_id = $1
  on conflict (choice_id, product_id, item_variant_id) do nothing`;

/** Creations of one user run one after the other, so that each counts those before it. */
const lockCreation = `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' choices ' || $1, 0))`;

/** Two counts, because each is of one partial index. */
const countOfUser = `
  select (select count(*) from choices where user_id = $1 and not secret)
    + (select count(*) from choices where user_id = $1 and secret) as count`;

/** Loads and saves choices. Locks the choice first, its products second and its entries last. */
@Injectable()
export class ChoiceRepository {
  constructor(
    private readonly database: Database,
    private readonly products: ProductRepository,
  ) {}

  /** @throws DomainError choice.too-many, product.not-found when a product was deleted meanwhile, user.not-found of a deleted user */
  create<R>(
    fields: ChoiceFields & { readonly userId: number; readonly title: string },
    entries: readonly ChosenEntry[],
    answer: Answer<R>,
  ): Promise<R> {
    return this.database.transaction(async (tx) => {
      await holdAuthor(tx, fields.userId);
      await tx.query(lockCreation, [fields.userId]);
      const [owned] = await tx.query<{ count: number }[]>(countOfUser, [fields.userId]);
      if (owned!.count >= limits.choicesPerUser) throw tooManyChoices();
      const { identifiers } = await tx.insert(ChoiceEntity, { ...fields, secret: fields.secret ?? false });
      const choiceId = identifiers[0]!.id as number;
      await this.fill(tx, choiceId, entries);
      return answer(tx, choiceId);
    });
  }

  /**
   * Changes fields, and replaces all entries unless `entries` is undefined.
   *
   * @throws DomainError choice.not-found, choice.not-owned, product.not-found
   */
  update<R>(
    address: ChoiceAddress,
    fields: ChoiceFields,
    entries: readonly ChosenEntry[] | undefined,
    answer: Answer<R>,
  ): Promise<R> {
    return this.change(address, answer, async (tx, choiceId) => {
      await tx.update(ChoiceEntity, choiceId, { ...fields, updatedAt: () => 'now()' });
      if (entries) await this.fill(tx, choiceId, entries);
    });
  }

  /**
   * Puts an entry in front of the others; one that is there already stays where it is.
   *
   * @throws DomainError choice.not-found, choice.not-owned, choice.full, product.not-found
   */
  add<R>(address: ChoiceAddress, entry: ChosenEntry | undefined, answer: Answer<R>): Promise<R> {
    return this.change(address, answer, async (tx, choiceId) => {
      if (!entry) return;
      await this.hold(tx, [entry]);
      await tx.query(insertFirst, [choiceId, entry.productId, entry.itemVariantId]);
      if ((await tx.countBy(ChoiceProductEntity, { choiceId })) > limits.choiceProducts) throw choiceFull(choiceId);
    });
  }

  /**
   * Removes a product in one variant, or in all of them; what is not there may be removed too.
   *
   * @throws DomainError choice.not-found, choice.not-owned
   */
  remove<R>(address: ChoiceAddress, entry: Partial<ProductVariant>, answer: Answer<R>): Promise<R> {
    const { productId, itemVariantId } = entry;
    return this.change(address, answer, async (tx, choiceId) => {
      if (productId === undefined) return;
      const variant = itemVariantId === undefined ? {} : { itemVariantId };
      await tx.delete(ChoiceProductEntity, { choiceId, productId, ...variant });
    });
  }

  /** @throws DomainError choice.not-found, choice.not-owned */
  delete(address: ChoiceAddress): Promise<void> {
    return this.change(
      address,
      () => Promise.resolve(),
      async (tx, choiceId) => {
        await tx.delete(ChoiceEntity, choiceId);
      },
    );
  }

  private change<R>(
    { viewerId, choiceId }: ChoiceAddress,
    answer: Answer<R>,
    work: (tx: Tx, choiceId: number) => Promise<void>,
  ): Promise<R> {
    return this.database.transaction(async (tx) => {
      const choice = await tx.findOne(ChoiceEntity, { where: { id: choiceId }, lock: { mode: 'pessimistic_write' } });
      if (!choice || (choice.secret && choice.userId !== viewerId)) throw choiceNotFound(choiceId);
      if (choice.userId !== viewerId) throw choiceNotOwned(choiceId);
      await work(tx, choiceId);
      return answer(tx, choiceId);
    });
  }

  /** Replaces all entries. The first of two equal ones counts. */
  private async fill(tx: Tx, choiceId: number, entries: readonly ChosenEntry[]): Promise<void> {
    await this.hold(tx, entries);
    await tx.delete(ChoiceProductEntity, { choiceId });
    const productIds = entries.map(({ productId }) => productId);
    const itemVariantIds = entries.map(({ itemVariantId }) => itemVariantId);
    await tx.query(insertInOrder, [choiceId, productIds, itemVariantIds]);
  }

  /** Locks the products of entries, so that none is deleted before they are saved. */
  private async hold(tx: Tx, entries: readonly ChosenEntry[]): Promise<void> {
    const held = await this.products.hold(
      tx,
      entries.map(({ productId }) => productId),
    );
    const gone = entries.filter(({ productId }) => !held.has(productId));
    if (gone.length === 0) return;
    const message = 'is not a product';
    throw productNotFound(
      gone[0]!.productId,
      gone.map(({ path }) => ({ path, message })),
    );
  }
}
