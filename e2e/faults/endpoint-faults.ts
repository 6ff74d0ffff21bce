import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointMode } from '../webhooks/endpoint-modes.js';
import type { Fault } from './fault.js';

const faultyMs = 6_000;
/** Every mode has fewer variants. */
const minRequests = 6;
const pauseMs = 100;
const timeoutMs = 60_000;

/** Makes the endpoints faulty for six seconds, and until enough webhooks have arrived. */
const fault = (mode: EndpointMode): Fault => ({
  name: `webhook endpoints ${mode}`,
  async inject(_, receiver) {
    const before = receiver.faultyRequests;
    receiver.mode = mode;
    await sleep(faultyMs);
    const until = Date.now() + timeoutMs;
    while (receiver.faultyRequests < before + minRequests && Date.now() < until) await sleep(pauseMs);
    receiver.mode = 'healthy';
    if (receiver.faultyRequests < before + minRequests) throw new Error('The faulty endpoints got too few webhooks.');
  },
});

/** Faults of the webhook endpoints of three of the five users. */
export const endpointFaults: readonly Fault[] = (
  ['slow', 'hanging', 'resetting', 'lying', 'redirecting', 'oversized'] as const
).map(fault);
