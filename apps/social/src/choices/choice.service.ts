import { Injectable } from '@nestjs/common';
import type { PayloadOf, Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { QueueClients, RawReply } from '#request-queue';
import { ChoiceQueries } from './choice.queries.js';
import { ChoiceRepository } from './choice.repository.js';
import { type ChosenEntry, chooseEntries, type RequestedEntry } from './chosen-entry.rules.js';

type Request<Name extends keyof Services['social']> = PayloadOf<Services['social'], Name>;

const listPath = (index: number): string => `body.choiceProducts.${index}`;
const singlePath = (): string => 'body';

/**
 * Changes to choices. Every reply except that of `delete` is a ChoiceResponse, read in the
 * transaction of the change.
 */
@Injectable()
export class ChoiceService {
  constructor(
    private readonly clients: QueueClients,
    private readonly keys: IdempotencyKeys,
    private readonly choices: ChoiceRepository,
    private readonly queries: ChoiceQueries,
  ) {}

  /**
   * Creates a choice.
   *
   * @throws DomainError choice.too-many; product.not-found or 422, with the offending paths;
   *   user.not-found for a deleted user
   */
  create({ viewerId, idempotency, choiceProducts, ...fields }: Request<'choices.create'>): Promise<RawReply> {
    return this.keys.once({ viewerId, operation: 'choices.create', idempotency }, async (storeResponse) => {
      const entries = await this.chooseEntries(viewerId, choiceProducts, listPath);
      return this.choices.create({ ...fields, userId: viewerId }, entries, async (tx, choiceId) =>
        storeResponse(tx, await this.queries.get(viewerId, choiceId, tx)),
      );
    });
  }

  /**
   * Changes the fields in the request. `choiceProducts` replaces the whole list.
   *
   * @throws DomainError choice.not-found, choice.not-owned; product.not-found or 422 with the
   *   offending paths
   */
  async update({ viewerId, choiceId, choiceProducts, ...fields }: Request<'choices.update'>): Promise<RawReply> {
    const entries = choiceProducts && (await this.chooseEntries(viewerId, choiceProducts, listPath));
    return this.choices.update({ viewerId, choiceId }, fields, entries, (tx) =>
      this.queries.get(viewerId, choiceId, tx),
    );
  }

  /**
   * Deletes a choice.
   *
   * @returns a 204 reply without a body
   * @throws DomainError choice.not-found, choice.not-owned
   */
  async delete(target: Request<'choices.delete'>): Promise<RawReply> {
    await this.choices.delete(target);
    return RawReply.json('', { status: 204 });
  }

  /**
   * Adds a product in one of its variants. Changes nothing without a product.
   *
   * @throws DomainError choice.not-found, choice.not-owned, choice.full; product.not-found or 422
   *   with the offending path
   */
  add(request: Request<'choices.add'>): Promise<RawReply> {
    const { viewerId, choiceId, idempotency, productId, itemVariantId } = request;
    return this.keys.once({ viewerId, operation: 'choices.add', idempotency }, async (storeResponse) => {
      const requested = productId === undefined ? [] : [{ productId, itemVariantId }];
      const [entry] = await this.chooseEntries(viewerId, requested, singlePath);
      return this.choices.add(request, entry, async (tx) =>
        storeResponse(tx, await this.queries.get(viewerId, choiceId, tx)),
      );
    });
  }

  /**
   * Removes a product in one variant, or in all when the request names none. Changes nothing
   * without a product.
   *
   * @throws DomainError choice.not-found, choice.not-owned
   */
  remove(request: Request<'choices.remove'>): Promise<RawReply> {
    const { viewerId, choiceId, idempotency } = request;
    return this.keys.once({ viewerId, operation: 'choices.remove', idempotency }, (storeResponse) =>
      this.choices.remove(request, request, async (tx) =>
        storeResponse(tx, await this.queries.get(viewerId, choiceId, tx)),
      ),
    );
  }

  /**
   * Moves a product before all others, in one variant, or in all when the request names none.
   * Changes nothing for a missing entry.
   *
   * @throws DomainError choice.not-found, choice.not-owned
   */
  moveFirst(request: Request<'choices.move-first'>): Promise<RawReply> {
    const { viewerId, choiceId } = request;
    return this.choices.moveFirst(request, request, (tx) => this.queries.get(viewerId, choiceId, tx));
  }

  private chooseEntries(
    viewerId: number,
    requested: readonly RequestedEntry[],
    pathOf: (index: number) => string,
  ): Promise<ChosenEntry[]> {
    return chooseEntries(requested, pathOf, (entries) =>
      this.clients.of('catalog').call('products.choose', { viewerId, entries }),
    );
  }
}
