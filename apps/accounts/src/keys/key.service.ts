import { Injectable } from '@nestjs/common';
import { generateKey } from './key.rules.js';
import { type KeyOwner, KeyRepository } from './key.repository.js';

@Injectable()
export class KeyService {
  constructor(private readonly keys: KeyRepository) {}

  /** Returns the decrypted key. Throws `user.not-found`, `password.wrong`. */
  show(owner: KeyOwner): Promise<string> {
    return this.keys.show(owner);
  }

  /** Replaces the key and returns the new one. Throws `user.not-found`, `password.wrong`. */
  async replace(owner: KeyOwner): Promise<string> {
    const key = generateKey();
    await this.keys.replace(owner, key);
    return key.token;
  }
}
