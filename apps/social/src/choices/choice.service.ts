import { Injectable } from '@nestjs/common';
import type { PayloadOf, Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { QueueClients, RawReply } from '#request-queue';
import { ChoiceQueries } from './choice.queries.js';
import { ChoiceRepository } from './choice.repository.js';
import { type ChosenEntry, chosenEntries, type WantedEntry } from './chosen-entry.rules.js';

type Request<Name extends keyof Services['social']> = PayloadOf<Services['social'], Name>;

const listPath = (index: number): string => `body.choiceProducts.${index}`;
const singlePath = (): string => 'body';

/** What a user does with choices. Every answer is a ChoiceResponse, made in the transaction of the change. */
@Injectable()
export class ChoiceService {
  constructor(
    private readonly clients: QueueClients,
    private readonly keys: IdempotencyKeys,
    private readonly choices: ChoiceRepository,
    private readonly queries: ChoiceQueries,
  ) {}

  /** @throws DomainError choice.too-many; product.not-found or 422, with the offending paths */
  create({ viewerId, idempotency, choiceProducts, ...fields }: Request<'choices.create'>): Promise<RawReply> {
    return this.keys.once({ viewerId, operation: 'choices.create', idempotency }, async (keep) => {
      const entries = await this.chosen(viewerId, choiceProducts, listPath);
      return this.choices.create({ ...fields, userId: viewerId }, entries, async (tx, choiceId) =>
        keep(tx, await this.queries.get(viewerId, choiceId, tx)),
      );
    });
  }

  /**
   * Changes what is sent; `choiceProducts` replaces the whole list.
   *
   * @throws DomainError choice.not-found, choice.not-owned; product.not-found or 422 with the offending paths
   */
  async update({ viewerId, choiceId, choiceProducts, ...fields }: Request<'choices.update'>): Promise<RawReply> {
    const entries = choiceProducts && (await this.chosen(viewerId, choiceProducts, listPath));
    return this.choices.update({ viewerId, choiceId }, fields, entries, (tx) =>
      this.queries.get(viewerId, choiceId, tx),
    );
  }

  /** @throws DomainError choice.not-found, choice.not-owned */
  async delete(address: Request<'choices.delete'>): Promise<RawReply> {
    await this.choices.delete(address);
    return RawReply.json('', { status: 204 });
  }

  /**
   * Adds a product in one of its variants; nothing when no product is named.
   *
   * @throws DomainError choice.not-found, choice.not-owned, choice.full; product.not-found or 422 with the offending path
   */
  add(request: Request<'choices.add'>): Promise<RawReply> {
    const { viewerId, choiceId, idempotency, productId, itemVariantId } = request;
    return this.keys.once({ viewerId, operation: 'choices.add', idempotency }, async (keep) => {
      const wanted = productId === undefined ? [] : [{ productId, itemVariantId }];
      const [entry] = await this.chosen(viewerId, wanted, singlePath);
      return this.choices.add(request, entry, async (tx) => keep(tx, await this.queries.get(viewerId, choiceId, tx)));
    });
  }

  /**
   * Removes a product in one variant, or in all where none is named; nothing when no product is named.
   *
   * @throws DomainError choice.not-found, choice.not-owned
   */
  remove(request: Request<'choices.remove'>): Promise<RawReply> {
    const { viewerId, choiceId, idempotency } = request;
    return this.keys.once({ viewerId, operation: 'choices.remove', idempotency }, (keep) =>
      this.choices.remove(request, request, async (tx) => keep(tx, await this.queries.get(viewerId, choiceId, tx))),
    );
  }

  private chosen(
    viewerId: number,
    wanted: readonly WantedEntry[],
    pathOf: (index: number) => string,
  ): Promise<ChosenEntry[]> {
    return chosenEntries(wanted, pathOf, (entries) =>
      this.clients.of('catalog').call('products.choose', { viewerId, entries }),
    );
  }
}
