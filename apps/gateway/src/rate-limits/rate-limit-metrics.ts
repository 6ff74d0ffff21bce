import { Counter, register, type Registry } from 'prom-client';

const create = (registry: Registry) =>
  new Counter({
    name: 'gateway_rate_limited_requests_total',
    help: 'Requests of limited operations by outcome: counted, refused, or not counted because Redis was away',
    labelNames: ['operation', 'outcome'] as const,
    registers: [registry],
  });

const created = new WeakMap<Registry, ReturnType<typeof create>>();

/** The counter of limited requests in a registry, made once for each; the process-wide one unless told otherwise. */
export function limitedRequests(registry: Registry = register): ReturnType<typeof create> {
  let counter = created.get(registry);
  if (!counter) created.set(registry, (counter = create(registry)));
  return counter;
}
