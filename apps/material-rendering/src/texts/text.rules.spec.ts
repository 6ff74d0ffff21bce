import { charactersOf, printableText } from './text.rules.js';

describe('printableText', () => {
  it.each([
    ['preserves lines', 'One\nTwo', 'One\nTwo'],
    ['normalizes line ends', 'a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh', 'a\nb\nc\nd\ne\nf\ng\nh'],
    ['trims lines', '  \n One \t\n\u3000Two\u3000 \n\n', 'One\nTwo'],
    ['reduces empty lines to one', 'One\n\n \n\t\n\nTwo', 'One\n\nTwo'],
    [
      'replaces other spaces, but not the no-break and the ideographic one',
      'a\tb\u2003c\u00a0d\u3000e',
      'a b c\u00a0d\u3000e',
    ],
    ['removes control characters', 'a\x00\x07\x1b[1mb\x7f\u009fc', 'a[1mbc'],
    ['removes direction overrides', '\u202eabc\u202c \u2067d\u2069\u200fe\ufeff', 'abc de'],
    ['removes byte order marks between letters', 'a\ufeffb', 'ab'],
    ['removes annotations for programs', 'a\u206ab\u206fc\ufff9d\ufffbe\ufffc', 'abcde'],
    ['removes code points that are no characters', 'a\ud800b\udfffc\ufffed\uffffe\ufdd0f\u{1ffff}', 'abcdef'],
    ['preserves joiners and non-joiners of letters', 'می\u200cخواهم क\u200dष', 'می\u200cخواهم क\u200dष'],
    ['preserves flags and skin tones of emoji', '🏴󠁧󠁢󠁥󠁮󠁧󠁿👩🏽‍🚀❤️‍🔥', '🏴󠁧󠁢󠁥󠁮󠁧󠁿👩🏽‍🚀❤️‍🔥'],
    ['composes letters', 'e\u0301 か\u3099', 'é が'],
    ['preserves the joiners of emoji', '🐈‍⬛👨‍👩‍👧1️⃣', '🐈‍⬛👨‍👩‍👧1️⃣'],
    ['preserves markup characters', '<b>&"\'&amp;', '<b>&"\'&amp;'],
  ])('%s', (_what, text, printed) => {
    expect(printableText(text)).toBe(printed);
  });

  it.each(['', ' ', '\n\t\u3000\u00a0', '\u200b\u200d\ufe0f\u2060', '\u202e\u0007', '\u3164', '\ufffe\ud800\ufffc'])(
    'returns null for a text without visible characters: %j',
    (text) => {
      expect(printableText(text)).toBeNull();
    },
  );
});

describe('charactersOf', () => {
  it('returns each visible character once', () => {
    expect(charactersOf('aab \n\u3000猫👨‍👩‍👧1️⃣👍🏿')).toEqual(['a', 'b', '猫', '👨', '👩', '👧', '1', '\u20e3', '👍', '🏿']);
  });
});
