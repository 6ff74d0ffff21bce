import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Class of a failure: all that is stored and shown of it. */
export type AttemptError =
  | 'address-not-allowed'
  | 'connection-refused'
  | 'dns'
  | 'no-secret'
  | 'protocol'
  | 'redirect'
  | 'reset'
  | 'status'
  | 'timeout'
  | 'tls'
  | 'too-large'
  | 'unreachable';

/** Finished attempt of a delivery. */
@Entity('webhook_attempts')
export class AttemptEntity {
  @PrimaryColumn('bigint', { name: 'delivery_id' })
  deliveryId!: number;

  /** 1 for the first attempt of a delivery. */
  @PrimaryColumn('integer')
  number!: number;

  @Column('timestamptz', { name: 'started_at' })
  startedAt!: Date;

  @Column('integer', { name: 'duration_ms' })
  durationMs!: number;

  /** Null without a response. */
  @Column('integer', { name: 'status_code', nullable: true })
  statusCode!: number | null;

  /** Null for a success. */
  @Column('text', { nullable: true })
  error!: AttemptError | null;

  /** Null for the last attempt of a schedule. */
  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt!: Date | null;
}
