import { Controller, Get, type OnApplicationBootstrap, type OnApplicationShutdown, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ServiceName, serviceNames } from '#contracts';
import { DomainError } from '#kernel';
import { readiness } from '#observability';
import { QueueClients, runShared } from '#request-queue';
import { GracefulShutdown } from './connections/graceful-shutdown.js';
import { Public } from './routing/operation.decorator.js';

type ServiceStates = readonly (readonly [service: ServiceName, status: 'ok' | 'unavailable'])[];

/** Time for which the state of services is cached, because anyone may request it. */
const cacheMs = 500;

/** Reply timeout; busy services reply late but are available. */
const replyTimeoutMs = 2_500;

@Controller('health')
export class HealthController implements OnApplicationBootstrap, OnApplicationShutdown {
  private cachedStates: Promise<ServiceStates> | undefined;
  private removeChecks: (() => void)[] = [];

  constructor(
    private readonly clients: QueueClients,
    private readonly shutdown: GracefulShutdown,
  ) {}

  /** Registers the same checks on the internal port. */
  onApplicationBootstrap(): void {
    const isOk = async (service: ServiceName): Promise<boolean> =>
      (await this.serviceStates()).some(([name, status]) => name === service && status === 'ok');
    this.removeChecks = serviceNames.map((service) => readiness.addCheck(service, () => isOk(service)));
  }

  onApplicationShutdown(): void {
    for (const removeCheck of this.removeChecks) removeCheck();
  }

  /** Reports liveness. */
  @Public()
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /**
   * Reports readiness: 200 if every service and its database are available, otherwise 503. The body
   * has the state of each service. After the start of the shutdown, 503 without checks.
   */
  @Public()
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    void reply.header('cache-control', 'no-store');
    if (this.shutdown.hasBegun) {
      void reply.status(503);
      return { status: 'shutting-down' };
    }
    const states = await this.serviceStates();
    const ready = states.every(([, status]) => status === 'ok');
    void reply.status(ready ? 200 : 503);
    return { status: ready ? 'ok' : 'unavailable', services: Object.fromEntries(states) };
  }

  private serviceStates(): Promise<ServiceStates> {
    return (this.cachedStates ??= this.check());
  }

  /** Checks all services, once for concurrent callers, and caches the result. */
  private check(): Promise<ServiceStates> {
    // Independent of the first request, because other callers share the result even if its client
    // disconnects
    const checking = runShared(() =>
      Promise.all(serviceNames.map(async (name) => [name, await this.statusOf(name)] as const)),
    );
    return checking.finally(() => setTimeout(() => (this.cachedStates = undefined), cacheMs).unref());
  }

  private async statusOf(service: ServiceName): Promise<'ok' | 'unavailable'> {
    try {
      await this.clients.of(service).call('health.check', {}, { timeoutMs: replyTimeoutMs });
      return 'ok';
    } catch (error) {
      // An overloaded service is available: removing this gateway from the load balancer would not
      // help
      if (error instanceof DomainError && error.kind.code === 'service.overloaded') return 'ok';
      // The reason is in the logs and metrics of the service and the queue
      return 'unavailable';
    }
  }
}
