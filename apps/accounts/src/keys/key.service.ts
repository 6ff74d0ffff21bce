import { Injectable } from '@nestjs/common';
import type { KeyOwner } from '#contracts';
import { freshKey } from './key.js';
import { KeyRepository } from './key.repository.js';

@Injectable()
export class KeyService {
  constructor(private readonly keys: KeyRepository) {}

  show(owner: KeyOwner): Promise<string> {
    return this.keys.show(owner);
  }

  /** The new key. Throws `user.not-found`. */
  async replace(owner: KeyOwner): Promise<string> {
    const key = freshKey();
    await this.keys.replace(owner, key);
    return key.token;
  }
}
