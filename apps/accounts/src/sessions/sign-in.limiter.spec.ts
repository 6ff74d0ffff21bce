import { normalizeLogin } from './sign-in.limiter.js';

describe('normalizeLogin', () => {
  it.each(['hanako', 'HANAKO', ' Hanako ', 'ｈａｎａｋｏ', 'HANAＫO'])('returns one form for %j', (typed) => {
    expect(normalizeLogin(typed)).toBe('hanako');
  });

  it('preserves the domain of an e-mail address', () => {
    expect(normalizeLogin('Hanako@Example.com')).toBe('hanako@example.com');
  });
});
