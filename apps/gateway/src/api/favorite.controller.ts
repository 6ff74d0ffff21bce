import { Controller } from '@nestjs/common';
import type { OperationRequest } from '#contracts';
import { QueueClients, type QueueReply } from '#request-queue';
import { Parsed } from '../edge/routing/parsed.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';

@Controller()
export class FavoriteController {
  constructor(private readonly clients: QueueClients) {}

  /**
   * Creates a favorite. `anonymouse` is the spelling of docs/specification.md 4.3; `anonymous` is
   * an alias (docs/decisions.md, Requests and responses 3).
   */
  @Operation('favorites.create')
  create(@Parsed() { viewerId, params, body, idempotency }: OperationRequest<'favorites.create'>): Promise<QueueReply> {
    const { anonymouse, anonymous = false, count } = body;
    return this.clients
      .of('social')
      .request('favorites.create', { viewerId, ...params, anonymous: anonymouse ?? anonymous, count, idempotency });
  }
}
