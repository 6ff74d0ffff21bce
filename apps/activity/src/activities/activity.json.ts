import { activityKinds, type Activity, type Language } from '#contracts';
import type { Clock } from '#kernel';
import { messageOf, timeago, type Occurrence } from './activity.rules.js';

/** An activity as it is read from the database, with the people in it. */
export type ActivityRow = Occurrence & {
  readonly id: string;
  readonly createdAt: Date;
  readonly sender: Activity['sender'];
  readonly receiver: Activity['receiver'];
};

/** Turns rows into what a client gets. */
export class ActivityJson {
  /** @param writeDate how the service writes points in time */
  constructor(
    private readonly writeDate: (at: Date) => string,
    private readonly clock: Clock,
  ) {}

  show(row: ActivityRow, language: Language): Activity {
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
