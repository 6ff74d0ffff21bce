import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor, RawReply } from '#request-queue';
import { EndpointQueries } from './endpoint.queries.js';
import { EndpointService } from './endpoint.service.js';

type Messages = Services['webhooks'];
type Request<Name extends keyof Messages> = PayloadOf<Messages, Name>;
type Reply<Name extends keyof Messages> = Promise<ReplyOf<Messages, Name>>;

const Handles = handlerFor('webhooks');

@Controller()
export class EndpointController {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly queries: EndpointQueries,
  ) {}

  @Handles('webhook-endpoints.list')
  async list(@Payload() { viewerId }: Request<'webhook-endpoints.list'>): Reply<'webhook-endpoints.list'> {
    return { webhookEndpoints: await this.queries.list(viewerId) };
  }

  @Handles('webhook-endpoints.get')
  async get(@Payload() request: Request<'webhook-endpoints.get'>): Reply<'webhook-endpoints.get'> {
    return { webhookEndpoint: await this.queries.get(request) };
  }

  @Handles('webhook-endpoints.create')
  create(@Payload() request: Request<'webhook-endpoints.create'>): Promise<RawReply> {
    return this.endpoints.create(request);
  }

  @Handles('webhook-endpoints.update')
  async update(@Payload() request: Request<'webhook-endpoints.update'>): Reply<'webhook-endpoints.update'> {
    return { webhookEndpoint: await this.endpoints.update(request) };
  }

  @Handles('webhook-endpoints.delete')
  async delete(@Payload() request: Request<'webhook-endpoints.delete'>): Promise<RawReply> {
    await this.endpoints.delete(request);
    return RawReply.json('', { status: 204 });
  }

  @Handles('webhook-endpoints.rotate-secret')
  rotateSecret(@Payload() request: Request<'webhook-endpoints.rotate-secret'>): Promise<RawReply> {
    return this.endpoints.rotateSecret(request);
  }
}
