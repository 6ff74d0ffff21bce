import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor, type RawReply } from '#request-queue';
import { DeliveryLogQueries } from './delivery-log.queries.js';
import { ReplayService } from './replay.service.js';

type Request<Name extends keyof Services['webhooks']> = PayloadOf<Services['webhooks'], Name>;

const Handles = handlerFor('webhooks');

@Controller()
export class DeliveryLogController {
  constructor(
    private readonly queries: DeliveryLogQueries,
    private readonly replays: ReplayService,
  ) {}

  @Handles('webhook-deliveries.list')
  list(@Payload() request: Request<'webhook-deliveries.list'>): Promise<RawReply> {
    return this.queries.list(request);
  }

  @Handles('webhook-endpoints.test')
  test(@Payload() request: Request<'webhook-endpoints.test'>): Promise<RawReply> {
    return this.replays.test(request);
  }

  @Handles('webhook-deliveries.replay')
  replay(@Payload() request: Request<'webhook-deliveries.replay'>): Promise<RawReply> {
    return this.replays.replay(request);
  }

  @Handles('webhook-deliveries.replay-failed')
  replayFailed(@Payload() request: Request<'webhook-deliveries.replay-failed'>): Promise<RawReply> {
    return this.replays.replayFailed(request);
  }
}
