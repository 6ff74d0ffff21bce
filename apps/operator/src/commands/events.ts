import { z } from 'zod';
import { eventsFor, serviceNames, type ServiceName } from '#contracts';
import { type FailedJob, FailedEvents } from '#events';
import { commandAside, type Commands, Report } from '../command-line/command.js';
import { meant, meantOrRefused } from '../command-line/flags.js';
import { jobsUrl } from '../connections/stores.js';

/** Of each service; the table is for people, and all of them are on the queue board. */
const listedAtMost = 100;

const subscribers = serviceNames.filter((service) => eventsFor(service).length > 0);
const subscriber = z.enum(subscribers, { error: `must be one of ${subscribers.join(', ')}` });

const service = { help: 'of this service only', value: 'SERVICE', type: subscriber } as const;
const jobId = { help: 'its id, as `events failed` shows it', value: 'ID', positional: true } as const;

async function withFailed<R>(only: ServiceName | undefined, work: (failed: FailedEvents) => Promise<R>): Promise<R> {
  const failed = new FailedEvents(jobsUrl(), only);
  try {
    return await work(failed);
  } finally {
    failed.close();
  }
}

function found(jobs: readonly FailedJob[], id: string): readonly FailedJob[] {
  if (jobs.length === 0) throw new Error(`No job with the id ${id} has failed: events failed lists those that have.`);
  return jobs;
}

const secondsSince = (date: Date): number => Math.max(0, Math.round((Date.now() - date.getTime()) / 1_000));

function age(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ] as const;
  const [size, name] = units.find(([size]) => seconds >= size) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${name}`;
}

function lineOf({ subscriber: its, id, event, events, reason, failedAt }: FailedJob): string {
  const what = events === 1 ? event : `${event} × ${events}`;
  // A reason may quote what a client sent: no escapes of terminals
  const why = reason.replace(/\p{Cc}+/gu, ' ').slice(0, 120);
  return [its.padEnd(20), id.padEnd(38), what.padEnd(24), age(secondsSince(failedAt)).padEnd(8), why].join('');
}

function listingOf(counts: ReadonlyMap<ServiceName, number>, jobs: readonly FailedJob[]): Report {
  const failed = Object.fromEntries([...counts].filter(([, count]) => count > 0));
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const lines = [
    all === 0 ? 'No event job has failed.' : `${all} event jobs have failed:`,
    ...jobs.map(lineOf),
    ...(all > jobs.length ? [`... and ${all - jobs.length} newer ones.`] : []),
  ];
  const facts = jobs.map((job) => ({ ...job, ageSeconds: secondsSince(job.failedAt) }));
  return new Report(lines.join('\n'), { failed, jobs: facts });
}

/** Event jobs that failed for good and stay in the Redis of jobs until an operator acts. */
export const events: Commands = {
  failed: commandAside({
    summary: `Lists event jobs that failed for good, up to ${listedAtMost} of each service, the oldest first.`,
    flags: { service: { ...service, positional: true } },
    run: (flags) =>
      withFailed(flags.service, async (failed) => listingOf(await failed.counts(), await failed.list(listedAtMost))),
  }),
  retry: commandAside({
    summary:
      'Puts failed event jobs back into their queues, one or all. Consumers that did their work do nothing again.',
    flags: { id: jobId, all: { help: 'all that have failed' }, service },
    oneOf: [['id', 'all']],
    run: ({ id, service: only }) =>
      withFailed(only, async (failed) =>
        id === undefined ? { retried: await failed.retryAll() } : { retried: found(await failed.retry(id), id).length },
      ),
  }),
  drop: commandAside({
    summary: 'Deletes a failed event job of a service: what should have followed never will.',
    flags: { id: { ...jobId, required: true }, service: { ...service, required: true }, yes: meant },
    run: ({ id, service: only, yes }) => {
      meantOrRefused(yes, `deletes the event job ${id} of ${only} for good`);
      return withFailed(only, async (failed) => ({ dropped: found(await failed.drop(id), id)[0] }));
    },
  }),
};
