import fc from 'fast-check';
import { anyText } from './any-text.js';
import { canaries } from './canaries.js';

const injections = [
  ...["' OR '1'='1", "'; DROP TABLE materials; --", '" OR ""="', "\\' OR 1=1 #", "' UNION SELECT 1 --", '$1', ':id'],
  ...['%', '_', '\\', '%_%', '\\%', "'", "''", '/*', '1;SELECT pg_sleep(9)', "x' || pg_sleep(9) || '"],
  ...[
    `\r\n${canaries.header}: 1\r\n\r\n<html>`,
    `x\n{"level":"fatal","msg":"${canaries.logLine}"}`,
    '\u001b[2J\u001b[31m',
  ],
  ...[`"><${canaries.script.slice(1)}</script>`, `javascript:${canaries.script}`, '{{7*7}}', '<%= 7*7 %>', '${7*7}'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'length', '__blocks'],
  ...['../../../etc/passwd', '..\\..\\x', 'file:///etc/passwd', 'http://169.254.169.254/', 'con', '.', '..'],
  ...[
    '\0',
    'a\0b',
    '\ud800',
    '\udc00x',
    '\u202egnp',
    '\u2028',
    '\ufeff',
    'ｓｉｇｎ－ｉｎ',
    'аdmin',
    'İ',
    'ß',
    '\u0130',
  ],
];

/** Text: injections and unusual characters, arbitrary text, and up to 3,000 equal characters. */
export const unusualText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...injections), weight: 6 },
  { arbitrary: anyText, weight: 3 },
  { arbitrary: fc.string({ maxLength: 30 }), weight: 3 },
  { arbitrary: fc.tuple(fc.constantFrom('x', '猫', '🐈', ' ', "'", '%'), fc.nat(3_000)).map(repeated), weight: 1 },
);

function repeated([text, times]: readonly [string, number]): string {
  return text.repeat(times);
}

const unusualNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -1, 1.5, 2 ** 31, 2 ** 31 - 1, 2 ** 53, 2 ** 53 - 1, 2 ** 63, 1e21, 1e308, -1e308, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** JSON values that are unlikely to be valid. */
export const unusualValue: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: unusualText, weight: 5 },
  { arbitrary: unusualNumber, weight: 3 },
  { arbitrary: fc.constantFrom<unknown>(true, false, null, [], {}, [[]], { then: 1 }, { __proto__: 1 }), weight: 3 },
  { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 2 },
);

/** Generates a value in one of `oneIn` cases, otherwise undefined. */
export const rarely = <T>(arbitrary: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: oneIn - 1 }, { arbitrary, weight: 1 });
