import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';

// Servers with node:http and with Fastify that send the same bytes for every GET request, as a
// baseline for the gateway

/** Message of the parent process: the response body. */
export interface ConstantOrder {
  readonly body: string;
}
export interface ConstantPorts {
  readonly http: number;
  readonly fastify: number;
}

const type = 'application/json; charset=utf-8';

async function main({ body }: ConstantOrder): Promise<void> {
  const bytes = Buffer.from(body);
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length });
    response.end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const app = fastify();
  app.get('/*', (_, reply) => reply.type(type).send(bytes));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const portOf = (address: AddressInfo | string | null): number => (address as AddressInfo).port;
  process.send!({ http: portOf(server.address()), fastify: portOf(app.server.address()) } satisfies ConstantPorts);
}

process.once('message', (order) => void main(order as ConstantOrder));
process.once('disconnect', () => process.exit());
