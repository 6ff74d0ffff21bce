import type { PublicEventType } from '#contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Copy of an event in the log, for one user. */
@Entity('events')
export class EventEntity {
  @PrimaryColumn('bigint')
  position!: number;

  /**
   * Id of the internal event for the first copy, derived from it for the others: an application
   * that receives the copies of two users must not ignore one as a duplicate.
   */
  @Column('uuid', { name: 'event_id' })
  eventId!: string;

  @Column('bigint', { name: 'user_id' })
  userId!: number;

  @Column('text')
  type!: PublicEventType;

  @Column('integer')
  sequence!: number;

  @Column('jsonb')
  data!: Record<string, unknown>;

  /** Request id and trace context of the request that caused the event. */
  @Column('jsonb')
  metadata!: Record<string, string>;

  @Column('timestamptz', { name: 'occurred_at' })
  occurredAt!: Date;

  @Column('timestamptz', { name: 'logged_at' })
  loggedAt!: Date;
}
