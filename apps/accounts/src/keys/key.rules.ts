import { generateToken, hashToken } from '../tokens/token.crypto.js';

/** Scopes of a personal API key: everything its owner may do. */
export const keyScopes = ['read', 'write'] as const;

export interface NewKey {
  readonly token: string;
  readonly hash: Buffer;
}

export function generateKey(): NewKey {
  const token = generateToken();
  return { token, hash: hashToken(token) };
}
