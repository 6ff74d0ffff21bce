import { generateClientId, redirectUriErrors, registeredScopes } from './application.rules.js';

it('generates client ids of 24 URL-safe characters, each different', () => {
  const ids = Array.from({ length: 100 }, generateClientId);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{24}$/);
  expect(new Set(ids).size).toBe(100);
});

it('adds the scope read, and returns each scope once', () => {
  expect(registeredScopes(['write'])).toEqual(['read', 'write']);
  expect(registeredScopes(['write', 'read', 'write'])).toEqual(['read', 'write']);
  expect(registeredScopes(['read'])).toEqual(['read']);
});

describe('the redirect URIs of an application', () => {
  it('are reported with their path when they are invalid', () => {
    const uris = ['https://a.example.com/cb', 'https://a.example.com/cb#x', 'http://a.example.com/cb'];
    expect(redirectUriErrors(uris)).toEqual([
      { path: 'redirectUris.1', message: expect.stringMatching(/^must /) },
      { path: 'redirectUris.2', message: expect.stringContaining('https') },
    ]);
  });

  it('must be unique, with regard to case', () => {
    const uris = ['https://a.example.com/cb', 'https://a.example.com/CB', 'https://a.example.com/cb'];
    expect(redirectUriErrors(uris)).toEqual([{ path: 'redirectUris.2', message: 'must be unique' }]);
  });
});
