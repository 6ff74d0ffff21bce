import { readJsonBody } from './json-body.js';

const codeOf = (text: string): string => {
  try {
    readJsonBody(text);
  } catch (error) {
    return (error as { kind: { code: string } }).kind.code;
  }
  return 'read';
};

describe('readJsonBody', () => {
  it('takes an empty body for none', () => {
    expect(readJsonBody('')).toBeUndefined();
    expect(readJsonBody(' \n')).toBeUndefined();
  });

  it('reads JSON', () => {
    expect(readJsonBody('{"a":[1]}')).toEqual({ a: [1] });
  });

  it.each(['{', 'x', '{"a":}', '[1,]'])('refuses %s', (text) => {
    expect(codeOf(text)).toBe('request.body-not-json');
  });

  it.each([
    ['objects', `[${'{},'.repeat(20_001)}1]`],
    ['arrays', '['.repeat(20_001)],
  ])('refuses millions of %s before they are made', (_, text) => {
    expect(codeOf(text)).toBe('request.invalid');
  });

  it('reads a body with a large texture', () => {
    expect(codeOf(JSON.stringify({ texture: `data:;base64,${'A'.repeat(27_000_000)}` }))).toBe('read');
  });
});
