import { languageOf } from './headers/language.js';
import { methodsAt } from './routing/methods.js';
import { requestIdOf } from './headers/request-id.js';

describe('languageOf', () => {
  it.each([
    [undefined, 'en'],
    ['ja', 'ja'],
    ['ja,en', 'ja'],
    ['ja-JP', 'ja'],
    ['JA-jp;q=0.9, en;q=0.8', 'ja'],
    ['ja-JP,ja;q=0.9,en;q=0.8', 'ja'],
    ['*', 'en'],
    [`${'fr,'.repeat(400)}ja`, 'en'],
    ['fr, ja;q=0.3, en;q=0.7', 'en'],
    ['fr;q=1, de', 'en'],
    ['ja;q=0, en;q=0.1', 'en'],
    [';;;,,,q=', 'en'],
  ])('negotiates %j as %s', (header, language) => {
    expect(languageOf(header)).toBe(language);
  });
});

describe('methodsAt', () => {
  it('returns the methods of an API path', () => {
    expect(methodsAt('/api/v1/materials?x=1').sort()).toEqual(['GET', 'POST']);
    expect(methodsAt('/api/v1/materials/12/').sort()).toEqual(['DELETE', 'GET', 'PUT']);
    expect(methodsAt('/api/v1/nothing')).toEqual([]);
  });

  it('returns GET and HEAD for images and icons, and none for other paths', () => {
    for (const path of [
      '/images/v1/500x500/mug/x.webp?h=0',
      '/images/v1/nonsense',
      '/icons/mug.svg',
      '/icons/mug.png/',
    ])
      expect([path, methodsAt(path)]).toEqual([path, ['GET', 'HEAD']]);
    for (const path of [
      '/images/v1',
      '/images/v1/',
      '/images/v10/x',
      '/icons/',
      '/icons/mug.svg/x',
      '/a/icons/mug.svg',
    ])
      expect([path, methodsAt(path)]).toEqual([path, []]);
  });
});

describe('requestIdOf', () => {
  it('accepts a safe id of the client', () => {
    expect(requestIdOf({ headers: { 'x-request-id': 'abc-1.2' } })).toBe('abc-1.2');
  });

  it.each([undefined, '', 'a b', 'a\nb', 'x'.repeat(129), ['a', 'b']])('generates an id instead of %j', (given) => {
    expect(requestIdOf({ headers: { 'x-request-id': given } })).toMatch(/^[0-9a-f-]{36}$/);
  });
});
