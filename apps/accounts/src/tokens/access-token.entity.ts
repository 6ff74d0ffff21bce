import type { TokenScope } from '#contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Kind of a token: `personal` is the one API key of a user, `token` is every other token. */
export type TokenKind = 'personal' | 'token';

@Entity('access_tokens')
export class AccessTokenEntity {
  /** SHA-256 of the token. */
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('bigint', { name: 'user_id' })
  userId!: number;

  @Column('text')
  kind!: TokenKind;

  @Column('text', { array: true })
  scopes!: TokenScope[];

  /** Encrypted token, only of personal keys, which their owners can display again. */
  @Column('bytea', { nullable: true })
  encrypted!: Buffer | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
