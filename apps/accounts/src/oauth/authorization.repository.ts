import { Injectable } from '@nestjs/common';
import type { Scope } from '#contracts';
import { Database } from '#persistence';
import { hashToken } from '../tokens/token.crypto.js';
import type { GeneratedCode } from './authorization.adapter.js';

const codeLifetimeSeconds = 60;

interface Parties {
  readonly userId: number;
  readonly applicationId: number;
}

/** Stored authorization code. */
interface IssuedCode extends Parties {
  readonly scopes: Scope[];
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly expiresAt: Date;
  readonly isRedeemed: boolean;
}

// User and application are locked before the consent: see the lock order at `revokeTokens`
const lockParties = `
  select from users u join applications a on u.id = $1 and u.id > 0 and a.id = $2
  for key share`;

const saveConsent = `
  insert into consents (user_id, application_id, scopes) values ($1, $2, $3)
  on conflict on constraint consents_pkey do update set updated_at = now(),
    scopes = array(select distinct unnest(consents.scopes || excluded.scopes) as scope order by scope)`;

const saveCode = `
  insert into authorization_codes (hash, user_id, application_id, scopes, redirect_uri, code_challenge, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + interval '${codeLifetimeSeconds} seconds')`;

/** Stores consents and authorization codes. */
@Injectable()
export class AuthorizationRepository {
  constructor(private readonly database: Database) {}

  /** Returns the scopes that the user has allowed the application. */
  async findGrantedScopes({ userId, applicationId }: Parties): Promise<Scope[]> {
    const [consent] = await this.database.query<{ scopes: Scope[] }>(
      'select scopes from consents where user_id = $1 and application_id = $2',
      [userId, applicationId],
    );
    return consent?.scopes ?? [];
  }

  /**
   * Stores a code, and optionally the consent of the user.
   *
   * @returns false when the user or the application is deleted
   */
  issueCode(newCode: GeneratedCode & Parties, withConsent: boolean): Promise<boolean> {
    const { code, userId, applicationId, scopes, redirectUri, codeChallenge } = newCode;
    return this.database.transaction(async (tx) => {
      const [parties] = await tx.query<object[]>(lockParties, [userId, applicationId]);
      if (!parties) return false;
      if (withConsent) await tx.query(saveConsent, [userId, applicationId, scopes]);
      await tx.query(saveCode, [hashToken(code), userId, applicationId, scopes, redirectUri, codeChallenge]);
      return true;
    });
  }

  async find(hash: Buffer): Promise<IssuedCode | undefined> {
    const [code] = await this.database.query<IssuedCode>(
      `select user_id as "userId", application_id as "applicationId", scopes, redirect_uri as "redirectUri",
         code_challenge as "codeChallenge", expires_at as "expiresAt", redeemed_at is not null as "isRedeemed"
       from authorization_codes where hash = $1`,
      [hash],
    );
    return code;
  }
}
