import { Controller, type Type } from '@nestjs/common';
import { type ForwardedOperation, type MessageTable, operations } from '#contracts';
import { type QueueClient, QueueClients, type QueueReply } from '#request-queue';
import { Parsed } from '../edge/routing/parsed.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';
import type { ParsedRequest } from '../edge/routing/parsed-request.js';

/**
 * Returns the controller of an operation that forwards the parsed request to the message of the
 * same name. The type of `forwardedOperations` makes the compiler check that the request matches
 * the message.
 */
export function forwardingController(name: ForwardedOperation): Type {
  const { service } = operations[name];

  @Controller()
  class ForwardingController {
    constructor(private readonly clients: QueueClients) {}

    @Operation(name)
    forward(@Parsed() { params, query, body, ...rest }: ParsedRequest): Promise<QueueReply> {
      // Typed for all services, because `service` and `name` are not related in types
      const client: QueueClient<MessageTable> = this.clients.of(service);
      return client.request(name, { ...params, ...query, ...body, ...rest });
    }
  }
  return ForwardingController;
}
