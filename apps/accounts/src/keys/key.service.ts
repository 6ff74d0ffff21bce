import { Injectable } from '@nestjs/common';
import type { Idempotency, ReplyOf, Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { RawReply } from '#request-queue';
import type { VerifiedUser } from '../users/verified-user.queries.js';
import { KeyCipher } from './key.crypto.js';
import { generateKey } from './key.rules.js';
import { type KeyOwner, KeyRepository } from './key.repository.js';

type KeyResponse = ReplyOf<Services['accounts'], 'keys.replace'>;

@Injectable()
export class KeyService {
  constructor(
    private readonly keys: KeyRepository,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly cipher: KeyCipher,
  ) {}

  /** Returns the decrypted key. Throws `user.not-found`, `password.wrong`. */
  show(owner: KeyOwner): Promise<string> {
    return this.keys.show(owner);
  }

  /**
   * Replaces the key and returns the new one. A repetition with the same idempotency key returns
   * the same key.
   *
   * @throws DomainError `password.wrong`
   */
  async replace(user: VerifiedUser, idempotency: Idempotency | undefined): Promise<RawReply> {
    const keyed = { viewerId: user.id, operation: 'keys.replace', idempotency };
    const reply = await this.idempotencyKeys.once(keyed, (storeResponse) => {
      const key = generateKey();
      return this.keys.replace(user, key, (tx) => storeResponse(tx, this.sealed(key.token, user.id)));
    });
    return this.unsealed(reply, user.id);
  }

  /** Replaces the key for an operator, and returns the new one. Throws `user.not-found`. */
  replaceByName(owner: { readonly userName: string }): Promise<string> {
    const key = generateKey();
    return this.keys.replace(owner, key, () => Promise.resolve(key.token));
  }

  /** Returns a response with an encrypted key, because idempotency keys store responses. */
  private sealed(token: string, userId: number): RawReply {
    const body: KeyResponse = { apiKey: this.cipher.encrypt(token, userId).toString('base64') };
    return RawReply.json(JSON.stringify(body), { status: 200 });
  }

  /** Decrypts the key of a sealed response. */
  private unsealed({ body, status, headers }: RawReply, userId: number): RawReply {
    const sealed = JSON.parse(body.toString()) as KeyResponse;
    const opened: KeyResponse = { apiKey: this.cipher.decrypt(Buffer.from(sealed.apiKey, 'base64'), userId) };
    return RawReply.json(JSON.stringify(opened), { status, headers });
  }
}
