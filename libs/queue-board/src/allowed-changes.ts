import type { BeforeHook, JobState } from '@bull-board/api/typings/app';

interface Change {
  readonly said: string;
  /** Of the one job that is changed. */
  readonly states?: readonly JobState[];
  /** Of all jobs that are changed. */
  readonly status?: string;
}

/**
 * What an operator may change. All else that Bull Board knows is refused: to take away what waits or all of a queue loses
 * events, to add or edit one makes what never happened, to let one be consumed again that was done forgets that it was.
 */
const changes: Readonly<Record<string, Change>> = {
  'put /api/queues/:queueName/:jobId/retry': { said: 'retry', states: ['failed'] },
  'put /api/queues/:queueName/retry/:queueStatus': { said: 'retry all failed', status: 'failed' },
  'put /api/queues/:queueName/:jobId/promote': { said: 'promote', states: ['delayed'] },
  'put /api/queues/:queueName/promote': { said: 'promote all delayed' },
  // Somebody has stopped it elsewhere: to let it go on loses nothing
  'put /api/queues/:queueName/resume': { said: 'resume' },
  // What nobody will ever know is put back again and again until somebody takes it away
  'put /api/queues/:queueName/:jobId/clean': { said: 'remove', states: ['failed', 'delayed'] },
  'put /api/queues/:queueName/clean/:queueStatus': { said: 'remove all failed', status: 'failed' },
};

const refused = { allow: false, status: 403, errorKey: 'ERRORS.FORBIDDEN' } as const;

/** @param tell of each change before it is made, with the state that the job was seen in */
export const allowedChanges =
  (tell: (said: string) => void): BeforeHook =>
  async ({ method, route, request }) => {
    if (method === 'get') return;
    const change = changes[`${method} ${route}`];
    const { queueName, jobId, queueStatus } = request.params as Readonly<Record<string, string>>;
    const queue = request.queues.get(queueName!);
    if (!change || !queue || queueStatus !== change.status) return refused;
    const state = change.states && (await (await queue.getJob(jobId!))?.getState());
    if (change.states && (state === undefined || !change.states.includes(state))) return refused;
    tell([change.said, queueName, jobId, state].filter(Boolean).join(' '));
    return undefined;
  };
