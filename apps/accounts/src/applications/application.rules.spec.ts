import { freshClientId, redirectUriErrors, registeredScopes } from './application.rules.js';

it('a client id has 24 URL-safe characters, and is another one each time', () => {
  const ids = Array.from({ length: 100 }, freshClientId);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{24}$/);
  expect(new Set(ids).size).toBe(100);
});

it('an application has the scope read, and each scope once', () => {
  expect(registeredScopes(['write'])).toEqual(['read', 'write']);
  expect(registeredScopes(['write', 'read', 'write'])).toEqual(['read', 'write']);
  expect(registeredScopes(['read'])).toEqual(['read']);
});

describe('the redirect URIs of an application', () => {
  it('are named one by one where they cannot be used', () => {
    const uris = ['https://a.example.com/cb', 'https://a.example.com/cb#x', 'http://a.example.com/cb'];
    expect(redirectUriErrors(uris)).toEqual([
      { path: 'redirectUris.1', message: expect.stringMatching(/^must /) },
      { path: 'redirectUris.2', message: expect.stringContaining('https') },
    ]);
  });

  it('are there once, but may differ in anything', () => {
    const uris = ['https://a.example.com/cb', 'https://a.example.com/CB', 'https://a.example.com/cb'];
    expect(redirectUriErrors(uris)).toEqual([{ path: 'redirectUris.2', message: 'must be there only once' }]);
  });
});
