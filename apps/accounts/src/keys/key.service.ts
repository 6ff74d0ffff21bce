import { Injectable } from '@nestjs/common';
import { freshKey } from './key.rules.js';
import { type KeyOwner, KeyRepository } from './key.repository.js';

@Injectable()
export class KeyService {
  constructor(private readonly keys: KeyRepository) {}

  /** Throws `user.not-found`, `password.wrong`. */
  show(owner: KeyOwner): Promise<string> {
    return this.keys.show(owner);
  }

  /** The new key. Throws `user.not-found`, `password.wrong`. */
  async replace(owner: KeyOwner): Promise<string> {
    const key = freshKey();
    await this.keys.replace(owner, key);
    return key.token;
  }
}
