import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventStreamQuery, type OperationRequest, problems } from '#contracts';
import { DomainError } from '#kernel';
import { Operation } from '../edge/routing/operation.decorator.js';
import { Parsed } from '../edge/routing/parsed.decorator.js';
import { EventStreamBatcher } from './event-stream.batcher.js';

const header = 'last-event-id';

@Controller()
export class EventStreamController {
  constructor(private readonly streams: EventStreamBatcher) {}

  @Operation('events.stream')
  async stream(
    @Parsed() { viewerId, query }: OperationRequest<'events.stream'>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = lastEventId(request) ?? query.after ?? 'latest';
    await this.streams.open(request, reply, { userId: viewerId, types: query.types, after });
  }
}

/** Returns the cursor of a client that reconnects. @throws DomainError `request.invalid` */
function lastEventId({ headers }: FastifyRequest): string | undefined {
  const given = headers[header];
  if (given === undefined || given === '') return undefined;
  const { success, data } = EventStreamQuery.shape.after.safeParse(given);
  if (success) return data;
  const path = `headers.${header}`;
  const message = 'must be an id of the stream';
  throw new DomainError(problems['request.invalid'], `${path}: ${message}`, [{ path, message }]);
}
