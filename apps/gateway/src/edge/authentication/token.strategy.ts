import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import { TokenCache } from './token-cache.js';
import type { Viewer } from './viewer.js';

/** Reads `Authorization: Bearer <token>` (RFC 6750) and looks up its viewer. */
@Injectable()
export class TokenStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly tokens: TokenCache) {
    super();
  }

  async validate(token: string): Promise<Viewer | false> {
    return (await this.tokens.viewer(token)) ?? false;
  }
}
