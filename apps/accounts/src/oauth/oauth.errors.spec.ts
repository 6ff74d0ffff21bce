import OAuth2Server from '@node-oauth/oauth2-server';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { InvalidGrantError, refusalIn } from './oauth.errors.js';

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('what went wrong', () => {
  it('is told to the client when the client can help it', () => {
    const refusal = new InvalidGrantError('The code is unknown.');
    expect(refusalIn(refusal)).toBe(refusal);
  });

  it('is no refusal when it is ours, even where the library has wrapped it', () => {
    const away = new DomainError(problems['service.unavailable'], 'The database is not reachable.');
    expect(thrownBy(() => refusalIn(new OAuth2Server.ServerError(away)))).toBe(away);
    expect(thrownBy(() => refusalIn(away))).toBe(away);
    const defect = new OAuth2Server.InvalidArgumentError('Missing parameter: `model`');
    expect(thrownBy(() => refusalIn(defect))).toBe(defect);
  });
});
