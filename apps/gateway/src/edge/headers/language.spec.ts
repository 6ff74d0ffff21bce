import { languageOf } from './language.js';

it.each([
  [undefined, 'ja', 'en'],
  ['', 'ja', 'en'],
  ['*', 'ja', 'en'],
  ['fr', 'ja', 'en'],
  ['fr, *;q=0.1', 'ja', 'en'],
  ['ja', 'ja', 'ja'],
  ['ja-JP', 'ja', 'ja'],
  ['en', 'en', 'en'],
  ['en-US,en;q=0.9', 'en', 'en'],
  ['fr, en;q=0.1', 'en', 'en'],
  ['en;q=0.8, ja;q=0.9', 'ja', 'ja'],
  ['ja;q=0.8, en;q=0.9', 'en', 'en'],
  ['en, ja', 'en', 'en'],
  ['en;q=0', 'ja', 'en'],
  ['ja;q=0, *', 'en', 'en'],
  [';;,q=', 'ja', 'en'],
] as const)('%j selects %s by default Japanese, and %s by default English', (header, japanese, english) => {
  expect([languageOf(header, 'ja'), languageOf(header)]).toEqual([japanese, english]);
});
