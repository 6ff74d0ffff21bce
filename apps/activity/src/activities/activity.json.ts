import { activityKinds, type Activity, type Language } from '#contracts';
import type { Clock } from '#kernel';
import { messageOf, timeago, type Occurrence } from './activity.rules.js';

/** Row of an activity, joined with its sender and receiver. */
export type ActivityRow = Occurrence & {
  readonly id: string;
  readonly createdAt: Date;
  readonly sender: Activity['sender'];
  readonly receiver: Activity['receiver'];
};

/** Serializer of activity rows for API responses. */
export class ActivityJson {
  /** @param writeDate formats a date in the configured format and time zone */
  constructor(
    private readonly writeDate: (at: Date) => string,
    private readonly clock: Clock,
  ) {}

  toActivity(row: ActivityRow, language: Language): Activity {
    const { id, kind, createdAt, sender, receiver } = row;
    return {
      id,
      message: messageOf(row, sender, language),
      timeago: timeago(createdAt, this.clock.now(), language),
      eventType: kind,
      eventAction: activityKinds[kind],
      createdAt: this.writeDate(createdAt),
      sender,
      receiver,
      event: null,
    };
  }
}
