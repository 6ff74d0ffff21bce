import { Injectable } from '@nestjs/common';
import type { Delivery } from '#events';
import { EventRepository } from './event.repository.js';
import { type LoggedName, toNewEvent } from './logged-event.rules.js';

@Injectable()
export class EventConsumer {
  constructor(private readonly events: EventRepository) {}

  /** Appends the event to the log of each user who may see it. */
  async append({ event, onceCalling }: Delivery<LoggedName>): Promise<void> {
    await this.events.append(onceCalling, event, toNewEvent(event));
  }
}
