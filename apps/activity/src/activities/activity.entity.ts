import type { ActivityKind } from '#contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Occurrence } from './activity.rules.js';

@Entity('activities')
export class ActivityEntity {
  @PrimaryColumn('uuid', { default: () => 'gen_random_uuid()' })
  id!: string;

  /** Id of the event that caused the activity; unique together with `receiverId`. */
  @Column('uuid', { name: 'event_id' })
  eventId!: string;

  @Column('bigint', { name: 'receiver_id' })
  receiverId!: number;

  /** User shown as the sender: the actor, or 0 for an anonymous sender. */
  @Column('bigint', { name: 'sender_id' })
  senderId!: number;

  /**
   * User who caused the activity; 0 for a sale without a known buyer. Not part of responses:
   * identifies repeated favorites, and the activities to delete with a user.
   */
  @Column('bigint', { name: 'actor_id' })
  actorId!: number;

  @Column('text')
  kind!: ActivityKind;

  @Column('jsonb')
  data!: Occurrence['data'];

  /** `occurredAt` of the event. */
  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'read_at', nullable: true })
  readAt!: Date | null;
}
