import { type ServiceName, services } from '#contracts';
import { QueueServer } from '#request-queue';

/** What a faked message answers; may throw a DomainError, or give a RawReply. */
export type FakeAnswer = (payload: never) => unknown;

/**
 * Stands for all services, which are other apps, behind the real queue. What a test does not answer is `{}`.
 *
 * @param answers by message name; a test may change them while they run
 */
export async function fakeServices(
  redisUrl: string,
  answers: Record<string, FakeAnswer>,
): Promise<() => Promise<void>> {
  const servers = (Object.keys(services) as ServiceName[]).map((service) => {
    const server = new QueueServer({ service, redisUrl });
    for (const name of Object.keys(services[service]))
      server.addHandler(name, (payload: unknown) =>
        Promise.resolve()
          .then(() => answers[name]?.(payload as never))
          .then((answer) => (answer === undefined ? {} : answer)),
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
