import { services, type ServiceName } from '#contracts';

/**
 * Compares the handlers of a service with its message table.
 *
 * @param registered names of the messages with handlers, with repetitions
 * @throws Error that names each message that has no handler, has several, or does not exist
 */
export function checkHandlers(service: ServiceName, registered: readonly string[]): void {
  const messages = Object.keys(services[service]);
  const mistakes = [
    ...messages.filter((name) => !registered.includes(name)).map((name) => `no handler for "${name}"`),
    ...[...new Set(registered)]
      .filter((name) => !messages.includes(name))
      .map((name) => `a handler for "${name}", which is not a message of this service`),
    ...[...new Set(registered.filter((name, index) => registered.indexOf(name) !== index))].map(
      (name) => `more than one handler for "${name}"`,
    ),
  ];
  if (mistakes.length > 0) throw new Error(`${service} cannot start: ${mistakes.join('; ')}`);
}
