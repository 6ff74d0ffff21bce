import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { leaksIn } from './secrets.mjs';

const readJson = async (file) => JSON.parse(await readFile(file, 'utf8'));

/**
 * Returns the secrets that the stack generated: passwords of servers and roles, signing and
 * encryption keys.
 */
async function secretsOfStack(folder) {
  const [address, generated] = await Promise.all(
    ['stack.json', 'secrets.json'].map((name) => readJson(join(folder, name))),
  );
  const [{ serviceDatabaseUrl }, { serviceNames }] = await Promise.all([
    import('../../dist/libs/migrations/src/index.js'),
    import('../../dist/libs/contracts/src/index.js'),
  ]);
  const { databaseUrl, requestsUrl, jobsUrl, redisUrls, apiKey } = address;
  const roles = serviceNames.map((service) => serviceDatabaseUrl(databaseUrl, service, generated.databaseRoles));
  const ofApps = Object.values(redisUrls).flatMap((urls) => Object.values(urls));
  const passwords = [databaseUrl, requestsUrl, jobsUrl, ...ofApps, ...roles].map((url) => new URL(url).password);
  return [...Object.values(generated), ...passwords, apiKey];
}

/**
 * Commands denied on purpose: reading the persistence setting, the worker list of the queue board,
 * ioredis' own CLIENT SETINFO.
 */
const deniedByIntent = ['config|get', 'client|list', 'client|setinfo'];

/** Returns the commands that Redis has rejected because the user of an app lacks a grant. */
async function rejectedBy(url) {
  const redis = new Redis(url);
  const facts = await redis.info('commandstats').finally(() => redis.disconnect());
  return facts
    .split('\n')
    .filter((line) => /rejected_calls=[1-9]/.test(line))
    .map((line) => line.slice('cmdstat_'.length, line.indexOf(':')))
    .filter((command) => !deniedByIntent.includes(command));
}

/** Returns the logs of PostgreSQL and both Redis. */
async function logsOfServers(folder) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.log'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

const isProblem = (line) => /^\{"level":"(?:warn|error|fatal)"/.test(line) || (line !== '' && !line.startsWith('{'));

/**
 * Returns crashes and internal errors in the log after its first `begin` bytes, which are of the
 * start. No test expects an app to exit or fail.
 */
async function failuresIn(log, begin) {
  const { readLog } = await import('../../dist/e2e/fuzz/log-findings.js');
  const { crashes, errors, planted } = await readLog(log, begin);
  return [...crashes, ...errors, ...planted.map((line) => `no line of ours: ${line}`)];
}

/**
 * Stops the stack, prints its warnings, and fails the run if an app exited or failed, if Redis
 * denied a command, or if a log contains a secret.
 */
export default async function tearDown() {
  const { children, isOurs, folder, records, log, secrets, begin } = globalThis.storefrontE2e ?? { children: [] };
  if (children.length === 0) return;
  if (!isOurs) {
    // The output of an external stack is not available
    for (const child of children) await child.stop();
    await rm(records, { recursive: true });
    return;
  }
  const { requestsUrl, jobsUrl } = await readJson(join(folder, 'stack.json'));
  const [own, serverLogs, ...rejected] = await Promise.all([
    secretsOfStack(folder),
    logsOfServers(folder),
    ...[requestsUrl, jobsUrl].map(rejectedBy),
  ]);
  for (const child of children) await child.stop();
  const written = await readFile(log, 'utf8');
  const troubles = written.split('\n').filter(isProblem);
  process.stdout.write(troubles.map((line) => `${line}\n`).join(''));
  const recorded = (await readFile(secrets, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const all = new Set([...own, ...recorded]);
  const leaks = leaksIn([written, ...serverLogs].join('\n'), all);
  const failures = [
    ...(await failuresIn(log, begin)),
    ...rejected.flat().map((command) => `a user of Redis may not use ${command}`),
  ];
  const found = [
    ...failures.map((line) => `FAILURE ${line}`),
    ...leaks.slice(0, 20).map((line) => `SECRET in ${line}`),
  ];
  if (found.length > 0)
    throw new Error(
      `the logs contain ${failures.length} failures, and ${leaks.length} lines with secrets ` +
        `(complete logs: ${records}):\n${found.join('\n')}`,
    );
  console.log(
    `${all.size} secrets were looked for in ${written.length} characters of logs: none is there, and no failure.`,
  );
  await rm(records, { recursive: true });
}
