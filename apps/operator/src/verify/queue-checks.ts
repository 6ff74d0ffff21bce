import { type Check, type Finding, findingsAtMost } from './check.js';

const always = new Date(8.64e15);

/** Jobs that were given up: somebody has to look. */
export const failedJobs: Check = {
  name: 'jobs: none has failed',
  look: async ({ queued }) => {
    const findings: Finding[] = [];
    let checked = 0;
    for await (const { subscriber, state, event, reason } of queued.events(await queued.atOnce(always))) {
      checked += 1;
      if (state === 'failed' && findings.length < findingsAtMost)
        findings.push({ what: `${subscriber}: ${event.name} ${event.id}: ${reason ?? 'no reason'}` });
    }
    return { checked, findings };
  },
};

const note = /^images\/(\d+)\/drawn-from-([0-9a-f-]{36})$/;

/** Whoever draws the images of an event leaves a note until they are done, and its job is there for as long. */
export const unfinishedImages: Check = {
  name: 'images: what was begun goes on',
  look: async ({ queued, blobs }) => {
    const begun = new Map<string, Finding>();
    for await (const key of blobs.below('images')) {
      const [, material, event] = note.exec(key) ?? [];
      if (event !== undefined && begun.size < findingsAtMost)
        begun.set(event, { what: `material ${material}: event ${event}`, material: Number(material) });
    }
    const checked = begun.size;
    if (checked > 0) for await (const { event } of queued.events(await queued.atOnce(always))) begun.delete(event.id);
    return { checked, findings: [...begun.values()] };
  },
};
