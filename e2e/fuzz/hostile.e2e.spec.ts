import { fuzz } from './fuzz.js';
import { createFuzzFixture } from './fuzz-fixture.js';
import { api, baseUrl, newMaterial, newUser } from '../support/shop.js';

/** Fixed seed for reproducible results. `npm run fuzz` uses others and sends more requests. */
const seed = 20_261_122;

it('any bytes get a response or a closed connection, without internal details', async () => {
  const { apiKey } = await newUser();
  const origin = baseUrl.replace('//localhost', '//127.0.0.1');
  const fixture = await createFuzzFixture({ origin, baseUrl, apiKey, isShared: true });
  const { tally, found } = await fuzz(fixture, { requests: 500, seed, atOnce: 8, timeoutMs: 60_000 });
  expect(found.map(({ defect, bytes }) => `${defect}\n${JSON.stringify(bytes.toString('latin1'))}`)).toEqual([]);
  expect(tally.requests).toBe(500);
  expect(tally.reachedServices).toBeGreaterThan(100);
}, 120_000);

describe('text with SQL syntax', () => {
  const texts = [
    "'; drop table materials; --",
    "\\' or 1=1 --",
    '" or ""="',
    "' || pg_sleep(9) || '",
    '%',
    '_',
    '\\',
    '$1 :id ?',
  ];

  it('is stored and returned unchanged', async () => {
    const user = await newUser();
    const { apiKey: token } = user;
    for (const text of texts) {
      const { material } = await newMaterial(user, { title: text, description: text });
      expect([material.title, material.description]).toEqual([text, text]);
      const choice = await api('POST', '/choices', { token, body: { title: text, description: text } });
      expect(choice.body.choice).toMatchObject({ title: text, description: text });
      const { body } = await api('PUT', '/user', { token, body: { displayName: text, profile: { body: text } } });
      expect(body.user).toMatchObject({ displayName: text, profile: { body: text } });
    }
    const materials = await api('GET', '/materials', { token });
    expect(materials.body.materials.map(({ title }: any) => title)).toEqual(texts.toReversed());
  });

  it('has no effect in searches, and is rejected as an id or a name, except for the name _', async () => {
    const { apiKey: token } = await newUser();
    for (const text of texts) {
      const q = encodeURIComponent(`no such title ${text}`);
      const found = await api('GET', `/products/search?q=${q}`, { token });
      expect([text, found.status, found.body.products]).toEqual([text, 200, []]);
      const name = encodeURIComponent(text);
      for (const path of [
        `/users?name=${name}`,
        `/products?userName=${name}`,
        `/choices?userName=${name}`,
        `/products?itemId=${name}`,
      ])
        expect([path, (await api('GET', path, { token })).status]).toEqual([
          path,
          text === '_' && !path.includes('itemId') ? 200 : 400,
        ]);
      const id = await api('GET', `/products/${name}`, { token });
      expect([text, id.status]).toEqual([text, 400]);
    }
  });
});
