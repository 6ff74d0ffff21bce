import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { PreflightService } from './preflight.service.js';

const Handles = handlerFor('material-rendering');
type Rendering = Services['material-rendering'];

@Controller()
export class PreflightController {
  constructor(private readonly service: PreflightService) {}

  @Handles('preflight.measure')
  measure(
    @Payload() request: PayloadOf<Rendering, 'preflight.measure'>,
  ): Promise<ReplyOf<Rendering, 'preflight.measure'>> {
    return this.service.measure(request);
  }
}
