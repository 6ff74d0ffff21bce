import OAuth2Server from '@node-oauth/oauth2-server';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { InvalidGrantError, toOAuthError } from './oauth.errors.js';

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('toOAuthError', () => {
  it('returns an error that the client can correct', () => {
    const oauthError = new InvalidGrantError('The code is unknown.');
    expect(toOAuthError(oauthError)).toBe(oauthError);
  });

  it('throws errors of the server, also when the library has wrapped them', () => {
    const unavailable = new DomainError(problems['service.unavailable'], 'The database is not reachable.');
    expect(thrownBy(() => toOAuthError(new OAuth2Server.ServerError(unavailable)))).toBe(unavailable);
    expect(thrownBy(() => toOAuthError(unavailable))).toBe(unavailable);
    const defect = new OAuth2Server.InvalidArgumentError('Missing parameter: `model`');
    expect(thrownBy(() => toOAuthError(defect))).toBe(defect);
  });
});
