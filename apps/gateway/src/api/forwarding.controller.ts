import { Controller, type Type } from '@nestjs/common';
import { type ForwardedOperation, type MessageTable, operations } from '#contracts';
import { type QueueClient, QueueClients, type QueueReply } from '#request-queue';
import { Parsed } from '../edge/routing/parsed.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';
import type { ParsedRequest } from '../edge/routing/parsed-request.js';

/**
 * Makes the controller of an operation that a service answers by its message of the same name: it forwards the parsed request
 * and does nothing else. That the request fits the message, `operations.ts` has the compiler check.
 */
export function forwardingController(name: ForwardedOperation): Type {
  const { service } = operations[name];

  @Controller()
  class ForwardingController {
    constructor(private readonly clients: QueueClients) {}

    @Operation(name)
    forward(@Parsed() { params, query, body, ...rest }: ParsedRequest): Promise<QueueReply> {
      // Of all services: the name belongs to the one of the table
      const client: QueueClient<MessageTable> = this.clients.of(service);
      return client.request(name, { ...params, ...query, ...body, ...rest });
    }
  }
  return ForwardingController;
}
