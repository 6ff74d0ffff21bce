import { EnvironmentError } from '#config';
import { defaultLogLevel } from './apps/apps.js';
import { inJson, print } from './terminal/console.js';
import { StartFailure } from './failure.js';
import { parseFlags, readSettings } from './settings.js';
import { Stack, type StackAddress } from './stack.js';
import { StopRequest } from './terminal/stop-request.js';

function greeting(
  { baseUrl, localUrl, apiKey, demoPassword, queueBoard }: StackAddress,
  tookMs: number,
  temporary: boolean,
): string {
  return `
  The storefront is ready (${(tookMs / 1000).toFixed(1)} s).

  Address   ${baseUrl}
  Sign in   ${baseUrl}/sign-in   name demo, password ${demoPassword}
  API key   ${apiKey}   (user demo)
  Queues    ${queueBoard.url}   name operator, password ${queueBoard.password}
  Try       curl -s -H 'Authorization: Bearer ${apiKey}' '${localUrl}/api/v1/products?limit=3'
  Logs      level ${process.env.LOG_LEVEL ?? defaultLogLevel} and above; LOG_LEVEL=info npm start shows each request
  Stop      Ctrl-C; the data ${temporary ? 'is removed' : 'stays'}
`;
}

function fail(error: unknown): void {
  const expected = error instanceof StartFailure || error instanceof EnvironmentError;
  console.error(expected ? error.message : error);
  process.exitCode = 1;
}

/** Calls `callback` for each request to stop. */
function onStopRequest(callback: (reason: string) => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => callback(signal));
  if (process.connected) process.once('disconnect', () => callback('the starting process has exited'));
}

async function main(): Promise<void> {
  const since = Date.now();
  const flags = parseFlags(process.argv.slice(2));
  const stack = new Stack(readSettings(process.env), flags, process.env);
  let want: (reason: string) => void = () => undefined;
  const wanted = new Promise<string>((resolve) => (want = resolve));
  const stopRequest = new StopRequest();
  onStopRequest((reason) => {
    if (stopRequest.receive() === 'forced') stack.killApps();
    want(reason);
  });
  const started = stack.start().then((address) => {
    // JSON output is stored as a log and must not contain passwords
    if (inJson) print(`ready at ${address.baseUrl}`);
    else console.log(greeting(address, Date.now() - since, flags.temporary));
    process.send?.({ baseUrl: address.baseUrl, apiKey: address.apiKey });
  });
  // Waits for a failure or a stop request
  const failure = await Promise.race([wanted, started.then(() => wanted)]).then(
    (reason) => {
      print(`stopping (${reason})`);
      return undefined;
    },
    (error: unknown) => ({ error }),
  );
  await stack.stop();
  if (failure) fail(failure.error);
  else print('stopped');
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    fail(error);
    process.exit();
  },
);
