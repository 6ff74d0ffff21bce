import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, type Tx, violatedConstraint } from '#persistence';
import { freshKey } from '../keys/key.rules.js';
import { beginSession } from '../sessions/session.repository.js';
import type { FreshSession } from '../sessions/session.rules.js';
import { userNotFound } from '../users/user.errors.js';
import { type NewUser, UserRepository } from '../users/user.repository.js';
import { expired, identityNotFound, identityTaken, lastWayIn } from './identity.errors.js';

/** A sign-in at a provider that has begun, with the SHA-256 of its state and of the browser's visit. */
interface Attempt {
  readonly stateHash: Buffer;
  readonly visitHash: Buffer;
  readonly provider: string;
  /** Whom the identity is to be linked to. */
  readonly userId: number | null;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly returnTo: string;
}

/** Who somebody is at a provider. */
interface Identity {
  readonly provider: string;
  readonly uid: string;
  readonly nickname: string | null;
  readonly url: string | null;
}

/** What a newcomer proves an identity with, by the SHA-256 of its value. */
interface Ticket extends Identity {
  readonly hash: Buffer;
  readonly visitHash: Buffer;
  readonly returnTo: string;
}

const begin = `
  insert into identity_attempts
    (state_hash, visit_hash, provider, user_id, nonce, code_verifier, return_to, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + interval '10 minutes')`;
const issue = `
  insert into identity_tickets (hash, visit_hash, provider, uid, nickname, url, return_to, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + interval '15 minutes')`;

const take = `
  delete from identity_attempts where state_hash = $1 and visit_hash = $2
  returning provider, user_id as "userId", nonce, code_verifier as "codeVerifier", return_to as "returnTo",
    expires_at > now() as alive`;
const redeem = `
  delete from identity_tickets where hash = $1 and visit_hash = $2 and expires_at > now()
  returning provider, uid, nickname, url, return_to as "returnTo"`;

const lockOwner = `
  select u.id from users u join identities i on u.id = i.user_id
  where i.provider = $1 and i.uid = $2
  for no key update`;
/** Of a user who is still signed in with the session that began it; the lock puts link and unlink into an order. */
const lockSignedIn = `
  select id from users
  where id = $1 and exists (select from sessions where hash = $2 and user_id = $1 and expires_at > now())
  for no key update`;
const insert = `
  insert into identities (user_id, provider, uid, nickname, url) values ($1, $2, $3, $4, $5)
  on conflict on constraint identities_unique do nothing
  returning id`;

@Injectable()
export class IdentityRepository {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
  ) {}

  /** Throws `identity.expired` when the user has left. */
  async begin({ stateHash, visitHash, provider, userId, nonce, codeVerifier, returnTo }: Attempt): Promise<void> {
    try {
      const values = [stateHash, visitHash, provider, userId, nonce, codeVerifier, returnTo];
      await this.database.query(begin, values);
    } catch (error) {
      throw violatedConstraint(error) === 'identity_attempts_user_id_fkey' ? expired() : error;
    }
  }

  /**
   * Takes the attempt of this state and this browser: no second call gets it.
   *
   * @throws DomainError `identity.expired`
   */
  async take(stateHash: Buffer, visitHash: Buffer): Promise<Omit<Attempt, 'stateHash' | 'visitHash'>> {
    const [taken] = (await this.database.query(take, [stateHash, visitHash])) as [
      (Omit<Attempt, 'stateHash' | 'visitHash'> & { alive: boolean })[],
      number,
    ];
    const attempt = taken[0];
    if (!attempt?.alive) throw expired();
    return attempt;
  }

  async issue({ hash, visitHash, provider, uid, nickname, url, returnTo }: Ticket): Promise<void> {
    await this.database.query(issue, [hash, visitHash, provider, uid, nickname, url, returnTo]);
  }

  /**
   * Begins a session of the user who has this identity.
   *
   * @returns false when nobody has it
   */
  open({ provider, uid }: Pick<Identity, 'provider' | 'uid'>, session: FreshSession): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [user] = await tx.query<{ id: number }[]>(lockOwner, [provider, uid]);
      if (user) await beginSession(tx, user.id, session);
      return user !== undefined;
    });
  }

  /**
   * A user who has the identity of a ticket, the personal key, `user.created` and a session, or none of them: the ticket
   * is spent when there is a user, and only then.
   *
   * @returns where to go on
   * @throws DomainError `identity.expired`, `identity.taken`, `user.name-taken`, `user.email-taken`
   */
  async signUp(proof: Pick<Ticket, 'hash' | 'visitHash'>, user: NewUser, session: FreshSession): Promise<string> {
    let goOn = '';
    await this.users.create(user, freshKey(), async (tx, userId) => {
      const [[ticket]] = await tx.query<[Ticket[], number]>(redeem, [proof.hash, proof.visitHash]);
      if (!ticket) throw expired();
      if (!(await this.add(tx, userId, ticket))) throw identityTaken();
      await beginSession(tx, userId, session);
      goOn = ticket.returnTo;
    });
    return goOn;
  }

  /**
   * Links an identity to a user who has the session of this hash. Says `user.updated` unless it was theirs already.
   *
   * @throws DomainError `identity.expired` when the session has ended, `identity.taken`
   */
  link(userId: number, sessionHash: Buffer, identity: Identity): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [user] = await tx.query<{ id: number }[]>(lockSignedIn, [userId, sessionHash]);
      if (!user) throw expired();
      if (await this.add(tx, userId, identity)) return appendEvent(tx, 'user.updated', { userId });
      const [own] = await tx.query<{ id: number }[]>(
        'select id from identities where provider = $1 and uid = $2 and user_id = $3',
        [identity.provider, identity.uid, userId],
      );
      if (!own) throw identityTaken();
    });
  }

  /**
   * Unlinks an identity and says `user.updated`. What is left must be a password, or an identity of one of the
   * providers that people can sign in with.
   *
   * @throws DomainError `user.not-found`, `identity.not-found`, `identity.last`
   */
  unlink(userId: number, identityId: number, providers: readonly string[]): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [user] = await tx.query<{ hasPassword: boolean }[]>(
        `select password_hash is not null as "hasPassword" from users where id = $1 and id > 0 for no key update`,
        [userId],
      );
      if (!user) throw userNotFound(userId);
      const [[gone]] = await tx.query<[{ id: number }[], number]>(
        'delete from identities where id = $1 and user_id = $2 returning id',
        [identityId, userId],
      );
      if (!gone) throw identityNotFound();
      const [other] = await tx.query<{ id: number }[]>(
        'select id from identities where user_id = $1 and uid is not null and provider = any($2) limit 1',
        [userId, providers],
      );
      if (!user.hasPassword && !other) throw lastWayIn();
      await appendEvent(tx, 'user.updated', { userId });
    });
  }

  /** @returns false when somebody has the identity */
  private async add(tx: Tx, userId: number, { provider, uid, nickname, url }: Identity): Promise<boolean> {
    const added = await tx.query<unknown[]>(insert, [userId, provider, uid, nickname, url]);
    return added.length > 0;
  }
}
