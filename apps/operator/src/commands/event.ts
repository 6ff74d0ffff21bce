import { type Event, EventStreamQuery, EventType, generateWebhookSecret, publicEventTypes } from '#contracts';
import { z } from 'zod';
import { type Commands, directCommand, type Report, UsageError } from '../command-line/command.js';
import { printProgress } from '../command-line/progress.js';
import { gatewayAccess } from '../connections/gateway.js';
import { EventFollower } from '../listen/event-follower.js';
import { eventReport } from '../listen/event-report.js';
import { exampleEvent } from '../listen/example-event.js';
import { isAccepted, LocalReceiver, localUrl, webhookSecret } from '../listen/local-receiver.js';

const secret = {
  help: 'secret of the signatures; default: a new one, which is printed',
  value: 'whsec_S',
  type: webhookSecret,
} as const;

const eventType = z
  .string()
  .pipe(z.enum(EventType.options, { error: `must be one of ${publicEventTypes.join(', ')}` }));

/** Returns a receiver. Prints the secret if it is new. */
function receiverAt(url: string, given: string | undefined): LocalReceiver {
  const used = given ?? generateWebhookSecret();
  printProgress(`Forwarding to ${url}, signed with ${given === undefined ? used : 'the given secret'}.`);
  return new LocalReceiver(url, used);
}

/** Reports events, each when it was forwarded, until the process is interrupted. */
async function* listen(follow: (signal: AbortSignal) => EventFollower, to?: LocalReceiver): AsyncGenerator<Report> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  // npm sends the signal of a terminal a second time
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
  const follower = follow(interruption.signal);
  try {
    for await (const { cursor, json } of follower.events()) {
      const event = JSON.parse(json) as Event;
      const forward = await to?.send(event.id, json, interruption.signal);
      yield eventReport(event, { cursor, ...(forward && { forward }) });
    }
  } catch (error) {
    // A forward was interrupted: its event is after the cursor
    if (!interruption.signal.aborted) throw error;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
    if (follower.cursor !== 'latest') printProgress(`Continue with --after ${follower.cursor}`);
  }
}

/** Events of a user, for developers of receivers. */
export const event: Commands = {
  listen: directCommand({
    summary: 'Prints the events of the user of API_KEY, by default demo, until Ctrl-C; forwards them with --to.',
    flags: {
      to: {
        help: 'address of this machine that receives each event as a signed webhook; a failure is printed, not retried',
        value: 'URL',
        type: localUrl,
      },
      secret,
      types: {
        help: 'only these types, separated by commas; default: all',
        value: 'TYPES',
        type: EventStreamQuery.shape.types.unwrap(),
      },
      after: {
        help: 'events after this cursor; default: latest, new events only',
        value: 'CURSOR',
        type: EventStreamQuery.shape.after.unwrap(),
      },
    },
    run: ({ to, secret: given, types, after = 'latest' }) => {
      if (given !== undefined && to === undefined) throw new UsageError('event listen: --secret needs --to');
      const access = gatewayAccess();
      const receiver = to === undefined ? undefined : receiverAt(to, given);
      const follow = (signal: AbortSignal) => new EventFollower(access, after, { types, print: printProgress, signal });
      return Promise.resolve(listen(follow, receiver));
    },
  }),
  trigger: directCommand({
    summary: 'Sends an example event to an address of this machine, as a signed webhook.',
    flags: {
      type: { help: 'type of the event', value: 'TYPE', type: eventType, required: true, positional: true },
      to: { help: 'address of this machine', value: 'URL', type: localUrl, required: true },
      secret,
    },
    run: async ({ type, to, secret: given }) => {
      const example = exampleEvent(type);
      const receiver = receiverAt(to, given);
      const forward = await receiver.send(example.id, JSON.stringify(example), new AbortController().signal);
      return eventReport(example, { forward, isGood: isAccepted(forward) });
    },
  }),
};
