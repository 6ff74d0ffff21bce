import { leaksIn, secretsIn } from './secrets.mjs';

const key = 'k'.repeat(20) + '-1';

describe('the secrets of a message', () => {
  it.each([
    ['a bearer token', { authorization: `Bearer ${key}` }, ''],
    ['a cookie', { cookie: `language=en; session=${key}` }, ''],
    ['a cookie that is set', { 'set-cookie': `__Host-session=${key}; Path=/; HttpOnly` }, ''],
    ['a code in a redirect', { location: `https://app.example.com/callback?code=${key}&state=x` }, ''],
    ['a JSON response', {}, `{"user":{"apiKey": "${key}"}}`],
    ['a form', {}, `grant_type=refresh_token&refresh_token=${key}`],
    ['a field of a page', {}, `<input type="hidden" name="csrf" value="${key}">`],
    ['a field that shows a client secret', {}, `<input class="code" id="clientSecret" value="${key}" readonly>`],
  ])('are found in %s', (_, headers, body) => {
    expect(secretsIn(new Headers(headers as Record<string, string>), body)).toEqual([key]);
  });

  it('are found in Basic credentials, encoded and decoded', () => {
    const sent = Buffer.from(`client:${key}`).toString('base64');
    expect(secretsIn(new Headers({ authorization: `Basic ${sent}` }), '')).toEqual([sent, key]);
  });

  it('are not problem codes or short words', () => {
    expect(secretsIn(new Headers(), '{"code":"product.not-found","token":"short"}')).toEqual([]);
  });
});

describe('a log', () => {
  it('is reported by line where it contains a secret, without the secret', () => {
    const log = `{"msg":"fine"}\n{"msg":"GET /x?t=${key}&"}\n{"msg":"also ${encodeURIComponent('a long password')}"}\n`;
    expect(leaksIn(log, [key, 'a long password', 'another secret'])).toEqual([
      '{"msg":"GET /x?t=[A SECRET]&"}',
      '{"msg":"also [A SECRET]"}',
    ]);
  });

  it('may contain a prefix of a secret', () => {
    expect(leaksIn(`{"msg":"${key.slice(0, -1)}"}`, [key])).toEqual([]);
  });
});
