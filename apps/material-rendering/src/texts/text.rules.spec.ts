import { charactersOf, printableText } from './text.rules.js';

describe('a text that is printed', () => {
  it.each([
    ['keeps its lines', 'One\nTwo', 'One\nTwo'],
    ['has one kind of line end', 'a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh', 'a\nb\nc\nd\ne\nf\ng\nh'],
    ['has no spaces around its lines', '  \n One \t\n\u3000Two\u3000 \n\n', 'One\nTwo'],
    ['has one empty line at most between two', 'One\n\n \n\t\n\nTwo', 'One\n\nTwo'],
    ['has plain spaces for the exotic ones, and those that bind', 'a\tb\u2003c\u00a0d\u3000e', 'a b c\u00a0d\u3000e'],
    ['has no control characters', 'a\x00\x07\x1b[1mb\x7f\u009fc', 'a[1mbc'],
    ['has no overrides of its direction', '\u202eabc\u202c \u2067d\u2069\u200fe\ufeff', 'abc de'],
    ['has no notes to programs', 'a\u206ab\u206fc\ufff9d\ufffbe\ufffc', 'abcde'],
    ['has nothing that is no character', 'a\ud800b\udfffc\ufffed\uffffe\ufdd0f\u{1ffff}', 'abcdef'],
    ['keeps what joins and parts letters', 'می\u200cخواهم क\u200dष', 'می\u200cخواهم क\u200dष'],
    ['keeps flags and skins of emoji', '🏴󠁧󠁢󠁥󠁮󠁧󠁿👩🏽‍🚀❤️‍🔥', '🏴󠁧󠁢󠁥󠁮󠁧󠁿👩🏽‍🚀❤️‍🔥'],
    ['has composed letters', 'e\u0301 か\u3099', 'é が'],
    ['keeps the joiners of emoji', '🐈‍⬛👨‍👩‍👧1️⃣', '🐈‍⬛👨‍👩‍👧1️⃣'],
    ['keeps what looks like markup', '<b>&"\'&amp;', '<b>&"\'&amp;'],
  ])('%s', (_what, text, printed) => {
    expect(printableText(text)).toBe(printed);
  });

  it.each(['', ' ', '\n\t\u3000\u00a0', '\u200b\u200d\ufe0f\u2060', '\u202e\u0007', '\u3164', '\ufffe\ud800\ufffc'])(
    'is none when nothing can be seen: %j',
    (text) => {
      expect(printableText(text)).toBeNull();
    },
  );

  it('needs a glyph for each visible character, once', () => {
    expect(charactersOf('aab \n\u3000猫👨‍👩‍👧1️⃣👍🏿')).toEqual(['a', 'b', '猫', '👨', '👩', '👧', '1', '\u20e3', '👍', '🏿']);
  });
});
