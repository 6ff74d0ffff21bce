import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Local HTTP server that receives webhooks. */
export interface Receiver {
  readonly url: string;
  /** `127.0.0.1:1234` */
  readonly host: string;
  readonly received: readonly ReceivedWebhook[];
  close(): Promise<void>;
}

/** @param respond sends the response, after the body has arrived. Default: 204 */
export async function startReceiver(
  respond: RequestListener = (_, response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8');
    let body = '';
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      respond(request, response);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/hook`,
    host,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
