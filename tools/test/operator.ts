import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { serviceNames } from '#contracts';
import { openQueueClients } from '#request-queue';
import { readArguments } from '../../apps/operator/src/command-line/arguments.js';
import { errorText } from '../../apps/operator/src/command-line/error-text.js';
import { requestsUrl } from '#config';

// The operator command of the e2e tests, started once: takes the words as a JSON list, answers what the command prints
// with --json; 422 when it prints that as an error.

async function main(): Promise<void> {
  const clients = await openQueueClients({ app: 'operator', redisUrl: requestsUrl(), services: serviceNames });
  const run = async (request: IncomingMessage): Promise<object> => {
    const asked = readArguments((await json(request)) as string[]);
    return asked.kind === 'help' ? { help: asked.text } : asked.command.run(clients, asked.flags);
  };
  const server = createServer((request, response) => {
    // A test may be busy for longer than a connection lives, and then find it closed
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
