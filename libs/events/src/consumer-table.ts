import { type ModuleRef } from '@nestjs/core';
import { type Type } from '@nestjs/common';
import { type EventName, eventsFor, type EventsFor, type ServiceName } from '#contracts';
import { type Delivery } from './delivery.js';

type Consume<Name extends EventName> = (delivery: Delivery<Name>) => Promise<void>;

/** Method of a Nest provider that consumes an event. Created by `on`. */
export interface ConsumerEntry<Method> {
  readonly consumer: Type;
  readonly method: string;
  readonly of: (modules: Pick<ModuleRef, 'get'>) => Method;
}

/** Consumers of a service: exactly one entry for each of its subscriptions. */
export type ConsumerTable<Service extends ServiceName> = {
  readonly [Name in EventsFor<Service>]: ConsumerEntry<Consume<Name>>;
};

type MethodsOf<Consumer> = {
  [Key in keyof Consumer]: Consumer[Key] extends (delivery: never) => Promise<void> ? Key : never;
}[keyof Consumer] &
  string;

/** Returns an entry of a consumer table: `{ 'favorite.placed': on(FavoriteConsumer, 'placed') }` */
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

/**
 * Consumers of a service by event. The worker validates the envelope before it calls a consumer.
 */
export type Consumers = ReadonlyMap<EventName, Consume<EventName>>;

/**
 * Validates a table at start. The compiler has checked it already, except for tables from a cast or
 * from JavaScript.
 *
 * @throws Error that names the entries to add or remove
 */
export function checkTable(service: ServiceName, table: Readonly<Record<string, unknown>>): void {
  const expected = new Set<string>(eventsFor(service));
  const missing = [...expected].filter((name) => !(name in table));
  const superfluous = Object.keys(table).filter((name) => !expected.has(name));
  const problems = [
    ...missing.map((name) => `add '${name}': on(ConsumerClass, 'method') to the consumers of ${service}`),
    ...superfluous.map((name) => `remove '${name}' from the consumers of ${service}, or subscribe it in contracts`),
  ];
  if (problems.length > 0) throw new Error(`The consumers do not match the subscriptions: ${problems.join('; ')}`);
}

/** Resolves the instances of a validated table. */
export function findConsumers(
  table: Readonly<Record<string, ConsumerEntry<unknown>>>,
  modules: Pick<ModuleRef, 'get'>,
): Consumers {
  return new Map(
    Object.entries(table).map(([name, entry]) => [name as EventName, entry.of(modules) as Consume<EventName>]),
  );
}
