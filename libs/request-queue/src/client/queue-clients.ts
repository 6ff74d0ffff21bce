import { problems, services, type ServiceName, type Services } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClient } from './queue-client.js';
import { QueueTransport, type QueueTransportOptions } from './queue-transport.js';
import { ReplyCache } from './reply-cache.js';

export interface QueueClientsOptions extends QueueTransportOptions {
  /** Services that this process calls. */
  readonly services: readonly ServiceName[];
  /** Limit of the `ReplyCache`. Default: no cache. */
  readonly cacheBytes?: number;
}

/**
 * Clients of all services that a process calls, over one transport. `QueueClientModule` provides
 * it: `clients.of('catalog').call('products.get', { viewerId, productId })`.
 */
export class QueueClients {
  private readonly transport: QueueTransport;
  private readonly clients = new Map<ServiceName, object>();
  private readonly replies: ReplyCache | undefined;

  constructor(options: QueueClientsOptions) {
    this.transport = new QueueTransport(options);
    this.replies = options.cacheBytes ? new ReplyCache(options.cacheBytes, options.registry) : undefined;
    for (const service of options.services) {
      this.transport.observe(service);
      this.clients.set(service, new QueueClient(service, services[service], this.transport, this.replies));
    }
  }

  /** Returns the client of a service. @throws Error when the service is not in the options */
  of<Service extends ServiceName>(service: Service): QueueClient<Services[Service]> {
    const client = this.clients.get(service);
    if (!client) throw new Error(`${service} is not one of the services that this process calls`);
    return client as unknown as QueueClient<Services[Service]>;
  }

  /** Resolves with true when requests can be sent, with false after `timeoutMs`. */
  whenReady(timeoutMs: number): Promise<boolean> {
    return this.transport.whenReady(timeoutMs);
  }

  /** Closes the connections; open requests fail with 504. */
  close(): Promise<void> {
    return this.transport.close();
  }

  /**
   * Hook of Nest: waits for the connection. Without Redis the process starts and rejects requests.
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.whenReady(2_000);
  }

  /** Hook of Nest: the last one, after the code that sends requests has ended. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

/**
 * Opens clients in a program without Nest, which closes them at its end.
 *
 * @throws DomainError `service.unavailable` without a connection to Redis within three seconds
 */
export async function openQueueClients(options: QueueClientsOptions): Promise<QueueClients> {
  const clients = new QueueClients(options);
  if (await clients.whenReady(3_000)) return clients;
  await clients.close();
  throw new DomainError(problems['service.unavailable'], 'No connection to Redis within three seconds.');
}
