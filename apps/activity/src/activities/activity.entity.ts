import type { ActivityKind } from '#contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Occurrence } from './activity.rules.js';

@Entity('activities')
export class ActivityEntity {
  @PrimaryColumn('uuid', { default: () => 'gen_random_uuid()' })
  id!: string;

  /** The event that told of it. One event is told to a receiver once. */
  @Column('uuid', { name: 'event_id' })
  eventId!: string;

  @Column('bigint', { name: 'receiver_id' })
  receiverId!: number;

  /** Who is shown as the sender; 0 when the actor wishes not to be named. */
  @Column('bigint', { name: 'sender_id' })
  senderId!: number;

  /** Who did it; never shown, only for telling repetitions apart. */
  @Column('bigint', { name: 'actor_id' })
  actorId!: number;

  @Column('text')
  kind!: ActivityKind;

  @Column('jsonb')
  data!: Occurrence['data'];

  /** When it happened, which is when the event says it did. */
  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'read_at', nullable: true })
  readAt!: Date | null;
}
