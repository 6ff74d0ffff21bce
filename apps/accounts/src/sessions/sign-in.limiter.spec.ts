import { foldedLogin } from './sign-in.limiter.js';

describe('a login', () => {
  it.each(['hanako', 'HANAKO', ' Hanako ', 'ｈａｎａｋｏ', 'HANAＫO'])('is counted as one, as %j', (typed) => {
    expect(foldedLogin(typed)).toBe('hanako');
  });

  it('is another one as a name than as an address', () => {
    expect(foldedLogin('Hanako@Example.com')).toBe('hanako@example.com');
  });
});
