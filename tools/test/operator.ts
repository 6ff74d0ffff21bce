import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { serviceNames } from '#contracts';
import { openQueueClients } from '#request-queue';
import { readArguments } from '../../apps/operator/src/command-line/arguments.js';
import { errorText } from '../../apps/operator/src/command-line/error-text.js';
import { requestsUrl } from '#config';

// Server that runs operator commands for the e2e tests without process starts: takes the arguments
// as a JSON list and responds with the output of --json, with 422 for an error.

async function main(): Promise<void> {
  const clients = await openQueueClients({ app: 'operator', redisUrl: requestsUrl(), services: serviceNames });
  const run = async (request: IncomingMessage): Promise<object> => {
    const parsed = readArguments((await json(request)) as string[]);
    return parsed.kind === 'help' ? { help: parsed.text } : parsed.command.run(clients, parsed.flags);
  };
  const server = createServer((request, response) => {
    // A busy test could reuse an idle connection that the server has just closed
    response.setHeader('connection', 'close');
    run(request).then(
      (result) => response.end(JSON.stringify(result)),
      (error: unknown) => response.writeHead(422).end(errorText(error, true)),
    );
  });
  process.once('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
}

await main().catch((error: unknown) => {
  process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exit(1);
});
