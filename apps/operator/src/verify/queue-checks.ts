import { type Check, type Finding, maxFindings } from './check.js';

const always = new Date(8.64e15);

/** Finds jobs that have failed permanently. They need an operator. */
export const failedJobs: Check = {
  name: 'No event job has failed',
  run: async ({ queued }) => {
    const findings: Finding[] = [];
    let checked = 0;
    for await (const { subscriber, state, event, reason } of queued.events(await queued.snapshot(always))) {
      checked += 1;
      if (state === 'failed' && findings.length < maxFindings)
        findings.push({ what: `${subscriber}: ${event.name} ${event.id}: ${reason ?? 'no reason'}` });
    }
    return { checked, findings };
  },
};

const progressKey = /^images\/(\d+)\/drawn-from-([0-9a-f-]{36})$/;

/** Finds progress blobs of unfinished renderings whose event is not in the queue. */
export const unfinishedImages: Check = {
  name: 'Each unfinished rendering has a job',
  run: async ({ queued, blobs }) => {
    const begun = new Map<string, Finding>();
    for await (const key of blobs.list('images')) {
      const [, material, event] = progressKey.exec(key) ?? [];
      if (event !== undefined && begun.size < maxFindings)
        begun.set(event, { what: `material ${material}: event ${event}`, material: Number(material) });
    }
    const checked = begun.size;
    if (checked > 0)
      for await (const { subscriber, event } of queued.events(await queued.snapshot(always)))
        if (subscriber === 'material-rendering') begun.delete(event.id);
    return { checked, findings: [...begun.values()] };
  },
};
