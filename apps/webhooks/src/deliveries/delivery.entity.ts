import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** `cancelled`: the application may no longer read the events of the user. */
type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled';

/** Delivery of an event of the log to an endpoint. Deleted with the event or the endpoint. */
@Entity('webhook_deliveries')
export class DeliveryEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'endpoint_id' })
  endpointId!: number;

  /** Position of the event in the log. */
  @Column('bigint')
  position!: number;

  @Column('text')
  status!: DeliveryStatus;

  /** Number of attempts. */
  @Column('integer')
  attempts!: number;

  /** Number of attempts since the schedule of retries was started. A replay sets it to 0. */
  @Column('integer', { name: 'schedule_step' })
  scheduleStep!: number;

  /** Null unless the delivery is pending. */
  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt!: Date | null;

  /** Until then, a job is responsible for the next attempt; null without a job. */
  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
