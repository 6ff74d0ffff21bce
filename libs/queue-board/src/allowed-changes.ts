import type { BeforeHook, JobState } from '@bull-board/api/typings/app';

interface AllowedChange {
  readonly action: string;
  /** States in which one job may be changed. */
  readonly states?: readonly JobState[];
  /** Status of the jobs that are changed together. */
  readonly status?: string;
}

/**
 * Changes that an operator may make. All other changes of Bull Board are rejected. Deleting waiting
 * jobs or a whole queue would lose events. Adding or editing a job would create events that never
 * happened. Retrying a completed job could repeat effects that its inbox row does not cover.
 */
const changes: Readonly<Record<string, AllowedChange>> = {
  'put /api/queues/:queueName/:jobId/retry': { action: 'retry', states: ['failed'] },
  'put /api/queues/:queueName/retry/:queueStatus': { action: 'retry all failed', status: 'failed' },
  'put /api/queues/:queueName/:jobId/promote': { action: 'promote', states: ['delayed'] },
  'put /api/queues/:queueName/promote': { action: 'promote all delayed' },
  // Resuming a queue that was paused elsewhere loses nothing
  'put /api/queues/:queueName/resume': { action: 'resume' },
  // An event that is unknown to all versions is delayed again and again until it is removed here
  'put /api/queues/:queueName/:jobId/clean': { action: 'remove', states: ['failed', 'delayed'] },
  'put /api/queues/:queueName/clean/:queueStatus': { action: 'remove all failed', status: 'failed' },
};

const rejected = { allow: false, status: 403, errorKey: 'ERRORS.FORBIDDEN' } as const;

/**
 * Returns a hook that rejects all changes except the allowed ones.
 *
 * @param onChange called before each allowed change with its action and queue; for a change of one
 *   job also with the job and, if it must have a certain state, this state
 */
export const allowedChanges =
  (onChange: (action: string) => void): BeforeHook =>
  async ({ method, route, request }) => {
    if (method === 'get') return;
    const change = changes[`${method} ${route}`];
    const { queueName, jobId, queueStatus } = request.params as Readonly<Record<string, string>>;
    const queue = request.queues.get(queueName!);
    if (!change || !queue || queueStatus !== change.status) return rejected;
    const state = change.states && (await (await queue.getJob(jobId!))?.getState());
    if (change.states && (state === undefined || !change.states.includes(state))) return rejected;
    onChange([change.action, queueName, jobId, state].filter(Boolean).join(' '));
    return undefined;
  };
