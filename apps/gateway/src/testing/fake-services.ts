import { type ServiceName, services } from '#contracts';
import { QueueServer } from '#request-queue';

/** Handler of a message: returns a reply or a RawReply, or throws a DomainError. */
export type FakeHandler = (payload: never) => unknown;

/**
 * Starts fakes of all services on the real queue. Messages without a handler, or whose handler
 * returns undefined, get `{}`.
 *
 * @param handlers by message name; later changes apply to the next message
 * @returns a function that closes the fakes
 */
export async function fakeServices(
  redisUrl: string,
  handlers: Record<string, FakeHandler>,
): Promise<() => Promise<void>> {
  const servers = (Object.keys(services) as ServiceName[]).map((service) => {
    const server = new QueueServer({ service, redisUrl });
    for (const name of Object.keys(services[service]))
      server.addHandler(name, (payload: unknown) =>
        Promise.resolve()
          .then(() => handlers[name]?.(payload as never))
          .then((reply) => (reply === undefined ? {} : reply)),
      );
    return server;
  });
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve, reject) => {
          server.listen((error) => (error instanceof Error ? reject(error) : resolve()));
        }),
    ),
  );
  return async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
}
