import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { FolderBlobStore } from '#storage';
import { Floor } from './floor.js';

// The floor, a lower bound of the cost of a response: one process and one statement per call (two
// for a new material), without framework, queue, checks and log

/** Message of the parent process. */
export interface FloorOrder {
  readonly databaseUrl: string;
  readonly blobStoreUrl: string;
  readonly baseUrl: string;
  readonly imageSigningSecret: string;
  /** Id of the caller; the floor has no tokens. */
  readonly viewerId: number;
}

const poolSize = 10;

async function startServer(order: FloorOrder): Promise<void> {
  const pool = new pg.Pool({ connectionString: order.databaseUrl, max: poolSize, options: '-c timezone=UTC' });
  const blobs = new FolderBlobStore(fileURLToPath(order.blobStoreUrl));
  const floor = await Floor.of(pool, blobs, { ...order, taxPercent: 10 }, order.viewerId);
  const server = createServer((request, response) => {
    handle(floor, request, response).catch((error: unknown) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send!({ port: (server.address() as AddressInfo).port });
}

async function handle(floor: Floor, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  if (request.method === 'POST') for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const body = await floor.respond(request.method!, request.url!, pieces);
  if (body === undefined) {
    response.writeHead(404, { 'content-length': 0 }).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  response.end(body);
}

process.once('message', (order) => void startServer(order as FloorOrder));
process.once('disconnect', () => process.exit());
