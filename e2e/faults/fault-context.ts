import { pathToFileURL } from 'node:url';
import { projectPath } from '#config';
import { startFleet, replicasOfEach } from '../fleet/start-fleet.js';
import { createUsers } from '../fleet/users.js';
import { startLoad } from '../load/start-load.js';
import { DeliveryCheck } from '../webhooks/check-deliveries.js';
import { Endpoints } from '../webhooks/endpoints.js';
import { WebhookReceiver } from '../webhooks/receiver.js';
import type { FaultTarget } from './run-fault.js';

export interface FaultContextOptions {
  /** Requests per second. */
  readonly rate: number;
  readonly seed: number;
  readonly blobFolder?: string;
  readonly logFile?: string;
}

export interface FaultContext extends FaultTarget {
  /** Stops the load and then the fleet. @throws Error if the logs of the fleet contain a secret */
  stop(): Promise<void>;
}

const userCount = 5;

const environment = {
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  NODE_OPTIONS: `--import=${pathToFileURL(projectPath('dist/e2e/faults/clock.js')).href}`,
};

/**
 * Starts two replicas of every app, servers behind proxies for network faults, webhook endpoints,
 * and a load.
 */
export async function startFaultContext({ rate, seed, ...options }: FaultContextOptions): Promise<FaultContext> {
  const closings: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closings.splice(0).reverse()) await close();
  };
  try {
    const receiver = await WebhookReceiver.start();
    closings.push(() => receiver.close());
    const fleet = await startFleet({ replicas: replicasOfEach(2), proxied: true, environment, ...options });
    closings.push(() => fleet.stop());
    const users = await createUsers(fleet, userCount);
    const endpoints = await Endpoints.create(fleet, users, receiver);
    closings.push(() => endpoints.close());
    const load = await startLoad({ baseUrls: fleet.baseUrls, users, rate, seed });
    closings.push(() => load.stop());
    return { fleet, load, receiver, deliveries: new DeliveryCheck(fleet, users, endpoints, receiver), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
