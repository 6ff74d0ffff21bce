import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '#dev-stack';

/** Arrival of a webhook at a healthy endpoint. */
interface Receipt {
  readonly eventId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Receivers of webhooks in this process. */
export interface Receivers {
  /** Receipts since the last call. */
  takeReceipts(): Receipt[];
  readonly receiptCount: () => number;
  readonly healthyUrl: string;
  /** URLs of a closed port, of a receiver that never responds, and of one that fails. */
  readonly deadUrls: readonly string[];
  close(): void;
}

export async function startReceivers(): Promise<Receivers> {
  const receipts: Receipt[] = [];
  const server = createServer((request, response) => {
    const at = performance.timeOrigin + performance.now();
    request.resume();
    if (request.url === '/failing') response.writeHead(500).end();
    if (request.url !== '/healthy') return;
    receipts.push({ eventId: String(request.headers['webhook-id']), at });
    response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    takeReceipts: () => receipts.splice(0),
    receiptCount: () => receipts.length,
    healthyUrl: `${origin}/healthy`,
    deadUrls: [`http://127.0.0.1:${await freePort()}/`, `${origin}/hanging`, `${origin}/failing`],
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
