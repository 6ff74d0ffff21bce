import { type ModuleRef } from '@nestjs/core';
import { type Type } from '@nestjs/common';
import { type EventName, eventsFor, type EventsFor, type ServiceName } from '#contracts';
import { type Delivery } from './delivery.js';

type Consume<Name extends EventName> = (delivery: Delivery<Name>) => Promise<void>;

/** A method of a class from Nest's container, as the consumer of an event. Made by `on`. */
export interface ConsumerEntry<Method> {
  readonly consumer: Type;
  readonly method: string;
  readonly of: (modules: Pick<ModuleRef, 'get'>) => Method;
}

/** What a service does about each event it gets: exactly one entry for each of its subscriptions. */
export type ConsumerTable<Service extends ServiceName> = {
  readonly [Name in EventsFor<Service>]: ConsumerEntry<Consume<Name>>;
};

type MethodsOf<Consumer> = {
  [Key in keyof Consumer]: Consumer[Key] extends (delivery: never) => Promise<void> ? Key : never;
}[keyof Consumer] &
  string;

/** `{ 'favorite.placed': on(FavoriteConsumer, 'placed') } satisfies ConsumerTable<'activity'>` */
export function on<Consumer extends object, Method extends MethodsOf<Consumer>>(
  consumer: Type<Consumer>,
  method: Method,
): ConsumerEntry<Consumer[Method]> {
  return {
    consumer,
    method,
    of: (modules) => {
      const instance = modules.get(consumer, { strict: false });
      return (instance[method] as (delivery: never) => Promise<void>).bind(instance) as Consumer[Method];
    },
  };
}

/** The entries of a table behind one type: the envelope is checked before any of them is called. */
export type Consumers = ReadonlyMap<EventName, Consume<EventName>>;

/**
 * Checks at start what the compiler has checked before, for tables that reached it through a cast or from JavaScript.
 *
 * @throws Error that names what to add or remove
 */
export function checkTable(service: ServiceName, table: Readonly<Record<string, unknown>>): void {
  const expected = new Set<string>(eventsFor(service));
  const missing = [...expected].filter((name) => !(name in table));
  const superfluous = Object.keys(table).filter((name) => !expected.has(name));
  const problems = [
    ...missing.map((name) => `add '${name}': on(ConsumerClass, 'method') to the consumers of ${service}`),
    ...superfluous.map((name) => `remove '${name}' from the consumers of ${service}, or subscribe it in contracts`),
  ];
  if (problems.length > 0) throw new Error(`The consumers do not fit the subscriptions: ${problems.join('; ')}`);
}

/** Finds the instances of a checked table. */
export function findConsumers(
  table: Readonly<Record<string, ConsumerEntry<unknown>>>,
  modules: Pick<ModuleRef, 'get'>,
): Consumers {
  return new Map(
    Object.entries(table).map(([name, entry]) => [name as EventName, entry.of(modules) as Consume<EventName>]),
  );
}
