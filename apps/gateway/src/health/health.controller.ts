import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ServiceName, serviceNames } from '#contracts';
import { QueueClients } from '#request-queue';
import { Public } from '../operations/operation.decorator.js';

@Controller('health')
export class HealthController {
  constructor(@Inject(QueueClients) private readonly clients: QueueClients) {}

  /** This process runs. */
  @Public()
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Every service answers, each from its database; 503 names those that do not. */
  @Public()
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const answers = await Promise.all(serviceNames.map(async (name) => [name, await this.answers(name)] as const));
    const ready = answers.every(([, status]) => status === 'ok');
    void reply.status(ready ? 200 : 503).header('cache-control', 'no-store');
    return { status: ready ? 'ok' : 'unavailable', services: Object.fromEntries(answers) };
  }

  private async answers(service: ServiceName): Promise<'ok' | 'unavailable'> {
    try {
      await this.clients.of(service).call('health.check', {}, { timeoutMs: 1_000 });
      return 'ok';
    } catch {
      // The reason is in the log and the counters of the service and of the queue
      return 'unavailable';
    }
  }
}
