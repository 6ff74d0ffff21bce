import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ServiceName, serviceNames } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { Departure } from '../http/departure.js';
import { Public } from '../operations/operation.decorator.js';

@Controller('health')
export class HealthController {
  constructor(
    @Inject(QueueClients) private readonly clients: QueueClients,
    @Inject(Departure) private readonly departure: Departure,
  ) {}

  /** This process runs. */
  @Public()
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Every service answers, each from its database; 503 names those that do not, or says that this process leaves. */
  @Public()
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    void reply.header('cache-control', 'no-store');
    if (this.departure.hasBegun) {
      void reply.status(503);
      return { status: 'leaving' };
    }
    const answers = await Promise.all(serviceNames.map(async (name) => [name, await this.answers(name)] as const));
    const ready = answers.every(([, status]) => status === 'ok');
    void reply.status(ready ? 200 : 503);
    return { status: ready ? 'ok' : 'unavailable', services: Object.fromEntries(answers) };
  }

  private async answers(service: ServiceName): Promise<'ok' | 'unavailable'> {
    try {
      await this.clients.of(service).call('health.check', {}, { timeoutMs: 1_000 });
      return 'ok';
    } catch (error) {
      // Who refuses because too much waits is there: nothing would be better if this gateway were taken away
      if (error instanceof DomainError && error.kind.code === 'service.overloaded') return 'ok';
      // The reason is in the log and the counters of the service and of the queue
      return 'unavailable';
    }
  }
}
