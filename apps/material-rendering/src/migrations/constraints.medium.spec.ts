import { brokenRules, type BrokenRules } from '#testing';

let rules: BrokenRules;

beforeAll(async () => {
  rules = await brokenRules(
    'material-rendering',
    `insert into textures values (repeat('a', 64), 'png', 10, 10, 100, '#aabbcc')`,
  );
});
afterAll(() => rules.close());

/** What breaks each rule, and no other. */
const broken: Readonly<Record<string, string>> = {
  textures_hash_check: `update textures set hash = repeat('A', 64)`,
  textures_format_check: `update textures set format = 'tiff'`,
  textures_width_check: 'update textures set width = 0',
  textures_height_check: 'update textures set height = 0',
  textures_sides: 'update textures set width = 16385',
  textures_bytes_check: 'update textures set bytes = 0',
  textures_size: 'update textures set bytes = 20 * 1024 * 1024 + 1',
  textures_dominant_rgb_check: `update textures set dominant_rgb = 'red'`,
};

it('each refuse the statement here that breaks it', async () => {
  expect(await rules.misses(broken)).toEqual([]);
});
