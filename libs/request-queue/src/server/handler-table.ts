import { services, type ServiceName } from '#contracts';

/**
 * Compares the handlers of a service with its message table.
 *
 * @param registered every message that some method wants to answer, with repetitions
 * @throws Error that names each message without handler, with two handlers, or that the service does not have
 */
export function checkHandlers(service: ServiceName, registered: readonly string[]): void {
  const known = Object.keys(services[service]);
  const complaints = [
    ...known.filter((name) => !registered.includes(name)).map((name) => `no handler for "${name}"`),
    ...[...new Set(registered)]
      .filter((name) => !known.includes(name))
      .map((name) => `a handler for "${name}", which is not a message of this service`),
    ...[...new Set(registered.filter((name, index) => registered.indexOf(name) !== index))].map(
      (name) => `more than one handler for "${name}"`,
    ),
  ];
  if (complaints.length > 0) throw new Error(`${service} cannot start: ${complaints.join('; ')}`);
}
