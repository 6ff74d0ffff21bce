import { problems, services, type ServiceName, type Services } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClient } from './queue-client.js';
import { QueueTransport, type QueueTransportOptions } from './queue-transport.js';
import { ReplyCache } from './reply-cache.js';

export interface QueueClientsOptions extends QueueTransportOptions {
  /** The services that this process asks. */
  readonly services: readonly ServiceName[];
  /** Limit of the `ReplyCache`. There is none by default. */
  readonly cacheBytes?: number;
}

/**
 * The clients of a process, over one transport. Injectable through `QueueClientModule`:
 * `clients.of('catalog').call('products.get', { viewerId, productId })`.
 */
export class QueueClients {
  private readonly transport: QueueTransport;
  private readonly clients = new Map<ServiceName, object>();
  private readonly replies: ReplyCache | undefined;

  constructor(options: QueueClientsOptions) {
    this.transport = new QueueTransport(options);
    this.replies = options.cacheBytes ? new ReplyCache(options.cacheBytes, options.registry) : undefined;
    for (const service of options.services) {
      this.transport.show(service);
      this.clients.set(service, new QueueClient(service, services[service], this.transport, this.replies));
    }
  }

  /** @throws Error when the service was not named at the opening */
  of<Service extends ServiceName>(service: Service): QueueClient<Services[Service]> {
    const client = this.clients.get(service);
    if (!client) throw new Error(`${service} is not among the services that this process asks`);
    return client as unknown as QueueClient<Services[Service]>;
  }

  /** True as soon as requests can be sent, false when that was not so within `timeoutMs`. */
  whenReady(timeoutMs: number): Promise<boolean> {
    return this.transport.whenReady(timeoutMs);
  }

  /** Ends the connections; open requests fail as unanswered. */
  close(): Promise<void> {
    return this.transport.close();
  }

  /** For Nest: a process that is up can ask, unless Redis is down, and then it answers 503. */
  async onApplicationBootstrap(): Promise<void> {
    await this.whenReady(2_000);
  }

  /** For Nest: the last of its hooks, after everything that may still ask has ended. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

/**
 * Clients for a program without Nest. Close them at its end.
 *
 * @throws DomainError `service.unavailable` when Redis is not reached within three seconds
 */
export async function openQueueClients(options: QueueClientsOptions): Promise<QueueClients> {
  const clients = new QueueClients(options);
  if (await clients.whenReady(3_000)) return clients;
  await clients.close();
  throw new DomainError(problems['service.unavailable'], 'Redis was not reached within three seconds.');
}
