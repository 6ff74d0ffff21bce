import { type Event, publicEventTypes } from '#contracts';
import { Report } from '../command-line/command.js';
import { printable } from '../command-line/table.js';
import { type Forward, isAccepted } from './local-receiver.js';

const typeWidth = Math.max(...publicEventTypes.map(({ length }) => length));

/** Formats data as `materialId=1 changed=["title"]`. */
const dataText = (data: Event['data']): string =>
  Object.entries(data)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

function forwardText(forward: Forward): string {
  const result = `${forward.error ?? forward.status} in ${forward.durationMs} ms`;
  return isAccepted(forward) ? `-> ${result}` : `-> failed: ${result}`;
}

interface EventContext {
  readonly cursor?: string;
  readonly forward?: Forward;
  readonly isGood?: boolean;
}

/** Reports an event in one line, with the result of its forward. */
export function eventReport(event: Event, { cursor, forward, isGood = true }: EventContext): Report {
  const { timestamp, type, sequence, data } = event;
  const cells = [
    timestamp,
    type.padEnd(typeWidth),
    `#${sequence}`.padEnd(4),
    dataText(data),
    ...(forward ? [forwardText(forward)] : []),
  ];
  const facts = { ...(cursor && { cursor }), event, ...(forward && { forward }) };
  return new Report(printable(cells.join('  ')), facts, isGood);
}
