import { freshToken, hashToken } from '../tokens/token.crypto.js';

/** What a personal API key allows: everything its owner may do. */
export const keyScopes = ['read', 'write'] as const;

export interface FreshKey {
  readonly token: string;
  readonly hash: Buffer;
}

export function freshKey(): FreshKey {
  const token = freshToken();
  return { token, hash: hashToken(token) };
}
