import { z } from 'zod';
import { eventsFor, serviceNames, type ServiceName } from '#contracts';
import { type FailedJob, FailedEvents } from '#events';
import { directCommand, type Commands, Report } from '../command-line/command.js';
import { confirmation, requireConfirmation } from '../command-line/flags.js';
import { rowReport, table } from '../command-line/table.js';
import { jobsUrl } from '../connections/stores.js';

/** Maximum number of listed jobs per service. The queue board shows all jobs. */
const maxListed = 100;

const subscribers = serviceNames.filter((service) => eventsFor(service).length > 0);
const subscriber = z.enum(subscribers, { error: `must be one of ${subscribers.join(', ')}` });

const service = { help: 'only jobs of this service', value: 'SERVICE', type: subscriber } as const;
const jobId = { help: 'id of the job, as `events failed` shows it', value: 'ID', positional: true } as const;

async function withFailed<R>(only: ServiceName | undefined, work: (failed: FailedEvents) => Promise<R>): Promise<R> {
  const failed = new FailedEvents(jobsUrl(), only);
  try {
    return await work(failed);
  } finally {
    failed.close();
  }
}

function found(jobs: readonly FailedJob[], id: string): readonly FailedJob[] {
  if (jobs.length === 0) throw new Error(`No failed job has the id ${id}: \`events failed\` lists failed jobs.`);
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
  return `${Math.floor(seconds / size)} ${name} ago`;
}

const rowOf = ({ subscriber, id, event, events, reason, failedAt }: FailedJob) => ({
  service: subscriber,
  id,
  event: events === 1 ? event : `${event} × ${events}`,
  failed: age(secondsSince(failedAt)),
  reason: reason.slice(0, 120),
});

function listingOf(counts: ReadonlyMap<ServiceName, number>, jobs: readonly FailedJob[]): Report {
  const failed = Object.fromEntries([...counts].filter(([, count]) => count > 0));
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const lines = [
    table(jobs.map(rowOf), 'No event job has failed.'),
    ...(all > jobs.length ? [`... and ${all - jobs.length} newer ones.`] : []),
  ];
  const facts = jobs.map((job) => ({ ...job, ageSeconds: secondsSince(job.failedAt) }));
  return new Report(lines.join('\n'), { failed, jobs: facts });
}

/**
 * Commands for event jobs that have failed permanently. These jobs stay in redis-jobs until an
 * operator retries or drops them.
 */
export const events: Commands = {
  failed: directCommand({
    summary: `Lists failed event jobs, up to ${maxListed} of each service, the oldest first.`,
    flags: { service: { ...service, positional: true } },
    run: (flags) =>
      withFailed(flags.service, async (failed) => listingOf(await failed.counts(), await failed.list(maxListed))),
  }),
  retry: directCommand({
    summary:
      'Puts failed event jobs back into their queues, one or all. Consumers that have processed an event skip it.',
    flags: { id: jobId, all: { help: 'all failed jobs' }, service },
    oneOf: [['id', 'all']],
    run: ({ id, service: only }) =>
      withFailed(only, async (failed) => {
        const retried = id === undefined ? await failed.retryAll() : found(await failed.retry(id), id).length;
        return new Report(`Retried jobs: ${retried}`, { retried });
      }),
  }),
  drop: directCommand({
    summary: 'Deletes a failed event job of a service. Its effect is lost.',
    flags: { id: { ...jobId, required: true }, service: { ...service, required: true }, yes: confirmation },
    run: ({ id, service: only, yes }) => {
      requireConfirmation(yes, `deletes the event job ${id} of ${only} permanently`);
      return withFailed(only, async (failed) => {
        const dropped = found(await failed.drop(id), id)[0]!;
        return rowReport(rowOf(dropped), { dropped });
      });
    },
  }),
};
