export { eventsOfBatch } from './batch.js';
export { type ConsumerEntry, type ConsumerTable, on } from './consumer-table.js';
export { type Delivery, PermanentFailure } from './delivery.js';
export { eventQueues } from './event-queue.js';
export { EventsModule } from './events.module.js';
export { type FailedJob, FailedEvents } from './failed-events.js';
export { Inbox } from './inbox.js';
export { eventMetrics } from './metrics.js';
export { type ConsumerOptions, type EventsOptions, type RelayOptions } from './options.js';
export { IsolatedOutage, isOutage } from './outage.js';
export {
  appendEvent,
  appendEvents,
  insertOfEvent,
  metadataOfCall,
  outboxConstraints,
  OutboxSignal,
  outboxTables,
  LeaveRoomForClaims,
  WakeNoRelays,
} from './outbox.js';
export { type QueueSnapshot, type JobState, QueuedEvents } from './queued-events.js';
export { WorkQueue, workQueues } from './work/work-queue.js';
