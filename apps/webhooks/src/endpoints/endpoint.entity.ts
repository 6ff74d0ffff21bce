import type { PublicEventType } from '#contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Signing secret of an endpoint. */
export interface StoredSecret {
  /** Base64. The user of the endpoint is associated data of the encryption. */
  readonly encrypted: string;
  /** Of an Ed25519 key, which earlier versions stored without it. */
  readonly publicKey?: string;
  /** ISO 8601; null for a secret that has not been replaced. */
  readonly expiresAt: string | null;
}

type EndpointStatus = 'enabled' | 'paused' | 'disabled';
type DisabledReason = 'failures' | 'status-410';

/** Webhook endpoint. Only those with the status `enabled` receive events. */
@Entity('webhook_endpoints')
export class EndpointEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Owner of the endpoint, and of its application. */
  @Column('bigint', { name: 'user_id' })
  userId!: number;

  /** Application whose users' events the endpoint receives; null for the events of its owner. */
  @Column('bigint', { name: 'application_id', nullable: true })
  applicationId!: number | null;

  @Column('text')
  url!: string;

  @Column('text')
  description!: string;

  /** Types that the endpoint receives; empty for all. */
  @Column('text', { array: true })
  types!: PublicEventType[];

  /** Newest first. */
  @Column('jsonb')
  secrets!: StoredSecret[];

  @Column('text')
  status!: EndpointStatus;

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: DisabledReason | null;

  /**
   * Number of failed attempts since the last success or change of URL or status, without those
   * recorded while the circuit breaker was open.
   */
  @Column('integer')
  failures!: number;

  /** Time at which the first of these failures was recorded; null if `failures` is 0. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince!: Date | null;

  /** The circuit breaker is open until then; null if it is closed. */
  @Column('timestamptz', { name: 'open_until', nullable: true })
  openUntil!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  /**
   * A deleted endpoint is paused and invisible. Its row exists until its deliveries are deleted.
   */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
