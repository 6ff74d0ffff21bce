import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { PreflightService } from './preflight.service.js';

const Handles = handlerFor('catalog');

@Controller()
export class PreflightController {
  constructor(private readonly service: PreflightService) {}

  @Handles('preflight.get')
  get(
    @Payload() request: PayloadOf<Services['catalog'], 'preflight.get'>,
  ): Promise<ReplyOf<Services['catalog'], 'preflight.get'>> {
    return this.service.get(request);
  }
}
