import { Controller, Get, type OnApplicationBootstrap, type OnApplicationShutdown, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ServiceName, serviceNames } from '#contracts';
import { DomainError } from '#kernel';
import { readiness } from '#observability';
import { QueueClients, runShared } from '#request-queue';
import { GracefulShutdown } from './connections/graceful-shutdown.js';
import { Public } from './routing/operation.decorator.js';

type Answers = readonly (readonly [service: ServiceName, status: 'ok' | 'unavailable'])[];

/** How long the services need not be asked again, in milliseconds: anybody may ask this gateway as often as he likes. */
const keptMs = 500;

/** Services that have much to do answer late, and are there. */
const answerMs = 2_500;

@Controller('health')
export class HealthController implements OnApplicationBootstrap, OnApplicationShutdown {
  private answers: Promise<Answers> | undefined;
  private needs: (() => void)[] = [];

  constructor(
    private readonly clients: QueueClients,
    private readonly shutdown: GracefulShutdown,
  ) {}

  /** The internal port says the same. */
  onApplicationBootstrap(): void {
    const isOk = async (service: ServiceName): Promise<boolean> =>
      (await this.kept()).some(([name, status]) => name === service && status === 'ok');
    this.needs = serviceNames.map((service) => readiness.addCheck(service, () => isOk(service)));
  }

  onApplicationShutdown(): void {
    for (const forget of this.needs) forget();
  }

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
    if (this.shutdown.hasBegun) {
      void reply.status(503);
      return { status: 'shutting-down' };
    }
    const answers = await this.kept();
    const ready = answers.every(([, status]) => status === 'ok');
    void reply.status(ready ? 200 : 503);
    return { status: ready ? 'ok' : 'unavailable', services: Object.fromEntries(answers) };
  }

  private kept(): Promise<Answers> {
    return (this.answers ??= this.ask());
  }

  /** Once for all who ask meanwhile and a moment longer. */
  private ask(): Promise<Answers> {
    // Of no request: the others still wait when the first one's client has gone
    const asking = runShared(() =>
      Promise.all(serviceNames.map(async (name) => [name, await this.statusOf(name)] as const)),
    );
    return asking.finally(() => setTimeout(() => (this.answers = undefined), keptMs).unref());
  }

  private async statusOf(service: ServiceName): Promise<'ok' | 'unavailable'> {
    try {
      await this.clients.of(service).call('health.check', {}, { timeoutMs: answerMs });
      return 'ok';
    } catch (error) {
      // Who refuses because too much waits is there: nothing would be better if this gateway were taken away
      if (error instanceof DomainError && error.kind.code === 'service.overloaded') return 'ok';
      // The reason is in the log and the counters of the service and of the queue
      return 'unavailable';
    }
  }
}
