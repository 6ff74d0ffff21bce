import { Injectable } from '@nestjs/common';
import { freshKey } from './key.js';
import { KeyRepository } from './key.repository.js';

@Injectable()
export class KeyService {
  constructor(private readonly keys: KeyRepository) {}

  show(userName: string): Promise<string> {
    return this.keys.show(userName);
  }

  /** The new key. Throws `user.not-found`. */
  async replace(userName: string): Promise<string> {
    const key = freshKey();
    await this.keys.replace(userName, key);
    return key.token;
  }
}
