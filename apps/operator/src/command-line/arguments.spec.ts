import { readArguments } from './arguments.js';
import { UsageError } from './command.js';
import { commands } from './commands.js';

/** Splits a line as a shell does; arguments contain no spaces. */
const words = (line: string) => line.split(' ').filter((word) => word !== '');
const flagsOf = (line: string) => (readArguments(words(line)) as { flags: object }).flags;
const helpOn = (line: string) => (readArguments(words(line)) as { text: string }).text;

describe('the operator command line', () => {
  it('reads noun, verb and flags', () => {
    const parsed = readArguments(words('user create --name a --email a@b.c --password p --json'));
    expect(parsed).toMatchObject({ kind: 'run', json: true, flags: { name: 'a', email: 'a@b.c', password: 'p' } });
  });

  it('reads a switch as true or false', () => {
    expect(flagsOf('user official hanako')).toEqual({ name: 'hanako', off: false });
    expect(flagsOf('user official --off hanako')).toEqual({ name: 'hanako', off: true });
  });

  it.each(['material violate 12 --reason copied', 'material violate --reason copied 12'])(
    'accepts a positional id: %s',
    (line) => {
      expect(flagsOf(line)).toEqual({ id: 12, reason: 'copied' });
      expect(flagsOf('material violate --id 12 --reason copied')).toEqual({ id: 12, reason: 'copied' });
    },
  );

  it.each(['user show hanako', 'user show --name hanako', 'user show --name=hanako'])('accepts a name: %s', (line) => {
    expect(flagsOf(line)).toEqual({ name: 'hanako' });
  });

  it('accepts values that look like flags or help', () => {
    expect(flagsOf('material clear 12 --reason help')).toEqual({ id: 12, reason: 'help' });
    expect(flagsOf('material clear 12 --reason=--help!')).toEqual({ id: 12, reason: '--help!' });
    expect(flagsOf('token revoke --token -Zb3_x --json')).toMatchObject({ token: '-Zb3_x' });
    expect(flagsOf('token revoke --token --b3_x')).toMatchObject({ token: '--b3_x' });
    expect(() => readArguments(words('material clear 12 --reason --json'))).toThrow('--reason');
  });

  it.each([
    ['usr show', 'unknown noun usr'],
    ['constructor show', 'unknown noun constructor'],
    ['user dance', 'user: unknown verb dance'],
    ['user create --name x', '--email, --password are missing'],
    ['user show', 'user show: NAME (or --name NAME) is missing'],
    ['user show --name', 'user show:'],
    ['user show --nme x', "Unknown option '--nme'"],
    ['sale list x', "sale list: Unexpected argument 'x'"],
    ['user show --name a --name b', 'user show: NAME (or --name NAME) can be given once'],
    ['user show a --name a', 'user show: NAME (or --name NAME) can be given once'],
    ['user official', 'NAME (or --name NAME) is missing'],
    ['user official a b', 'NAME (or --name NAME) can be given once'],
    ['user list --limit 0', '--limit: must be a whole number from 1 to 200'],
    ['user list --limit 201', '--limit: must be a whole number from 1 to 200'],
    ['user list --offset=-1', '--offset: must be a whole number of 0 or more'],
    ['user find', 'TEXT (or --text TEXT) is missing'],
    ['events retry', 'events retry: exactly one of ID (or --id ID), --all has to be given'],
    ['user official hanako --off=1', 'user official:'],
    ['material violate --reason copied', 'ID (or --id ID) is missing'],
    ['material violate 12', '--reason is missing'],
    ['material violate 12 13 --reason copied', 'ID (or --id ID) can be given once'],
    ['material violate 12 --id 12 --reason copied', 'ID (or --id ID) can be given once'],
    ['material violate cat --reason copied', '--id: must be a positive integer'],
    ['banner delete 0', '--id: must be a positive integer'],
    ['event listen --to http://example.com/hook', '--to: must be an http or https URL of this machine'],
    ['event listen --to http://10.0.0.1/hook', '--to: must be an http or https URL of this machine'],
    ['event listen --to http://0.0.0.0/hook', '--to: must be an http or https URL of this machine'],
    ['event listen --to http://localhost.example.com/', '--to: must be an http or https URL of this machine'],
    ['event listen --to http://user@localhost/', '--to: must be an http or https URL of this machine'],
    ['event listen --to localhost:4000', '--to: must be an http or https URL of this machine'],
    ['event listen --types material.*', '--types: must be types of events, separated by commas'],
    ['event listen --after x', '--after: must be a cursor'],
    ['event listen --to http://localhost --secret whsec_x', '--secret: must be whsec_ and 24 to 64 bytes in base64'],
    ['event trigger sale.made --to http://localhost', '--type: must be one of material.created, material.updated'],
    ['event trigger sale.recorded', '--to is missing'],
  ])('rejects "%s" with a message', (line, sentence) => {
    expect(() => readArguments(words(line))).toThrow(UsageError);
    expect(() => readArguments(words(line))).toThrow(sentence);
  });
});

it.each(['http://localhost:4000/hook', 'http://127.0.0.1:4000', 'http://127.1/', 'https://[::1]:4000/hook?a=b'])(
  'forwards events to %s',
  (url) => {
    expect(flagsOf(`event listen --to ${url}`)).toMatchObject({ to: url });
  },
);

it('accepts types and cursor of an event stream', () => {
  expect(flagsOf('event listen --types sale.recorded,favorite.placed --after 12')).toMatchObject({
    types: ['sale.recorded', 'favorite.placed'],
    after: '12',
  });
});

describe('a command without a verb', () => {
  it('is read', () => {
    expect(flagsOf('verify')).toEqual({ hash: false });
    expect(readArguments(words('verify --hash --json'))).toMatchObject({ json: true, flags: { hash: true } });
  });

  it('rejects unknown arguments and has help', () => {
    expect(() => readArguments(words('verify all'))).toThrow("verify: Unexpected argument 'all'");
    expect(helpOn('verify --help')).toContain(' operator -- verify [--hash] [--json]\n');
    expect(helpOn('verify help')).toContain('Changes nothing');
  });
});

describe('the flags of a sale', () => {
  const what = '--item 1';
  const off = '--percent-off 10';

  it.each([
    [off, 'sale create: exactly one of --item, --user, --product has to be given'],
    [`${off} --item 1 --product 2`, 'sale create: exactly one of --item, --user, --product has to be given'],
    [what, 'sale create: exactly one of --percent-off, --amount-off has to be given'],
    [`${what} ${off} --amount-off 5`, 'sale create: exactly one of --percent-off, --amount-off has to be given'],
    [`${what} --percent-off 0`, '--percent-off: must be a whole number from 1 to 100'],
    [`${what} --percent-off 101`, '--percent-off: must be a whole number from 1 to 100'],
    [`${what} --percent-off 1.5`, '--percent-off: must be a whole number from 1 to 100'],
    [`${what} --percent-off=-5`, '--percent-off: must be a whole number from 1 to 100'],
    [`${what} --percent-off -5`, '--percent-off: must be a whole number from 1 to 100'],
    [`${what} --amount-off 0`, '--amount-off: must be a whole number of 1 or more'],
    [`${what} --amount-off 99999999999999999999`, '--amount-off: must be a whole number of 1 or more'],
    [`${off} --item one`, '--item: must be a positive integer'],
    [`${what} ${off} --starts tomorrow`, '--starts: must be a date such as 2026-12-24, or a date-time with an offset'],
    [`${what} ${off} --starts 2026-02-30`, '--starts: must be a date'],
    [`${what} ${off} --ends 2026-12-24T18:00:00`, '--ends: must be a date'],
    [`${what} ${off} --ends 24.12.2026`, '--ends: must be a date'],
  ])('reject "%s" with a message', (line, sentence) => {
    const read = () => readArguments([...words(`sale create ${line}`), '--name', 'Winter sale']);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(sentence);
  });

  it('report several errors together', () => {
    expect(() => readArguments(words('sale create --name S'))).toThrow(/--item.*\n.*--percent-off/);
    expect(() => readArguments(words('sale create --name S --item x --percent-off y --starts z'))).toThrow(
      /^--item: .*\n--percent-off: .*\n--starts: .*$/,
    );
  });

  it.each([
    ['2026-12-24', '2026-12-24T00:00:00Z'],
    ['2026-12-24T18:00:00+09:00', '2026-12-24T09:00:00.000Z'],
    ['2026-12-24T18:00Z', '2026-12-24T18:00:00.000Z'],
  ])('accept the point in time %s', (text, read) => {
    expect(flagsOf(`sale create --name S ${what} ${off} --starts ${text}`)).toMatchObject({ starts: read });
  });
});

describe('the help of the operator command', () => {
  it.each(['', '--help', 'help', 'user', 'user --help', 'user create --help', 'user create help', 'sale create -h'])(
    'is printed for "%s"',
    (line) => {
      const parsed = readArguments(words(line));
      expect(parsed.kind).toBe('help');
      expect(helpOn(line)).toContain('Usage: npm run --silent operator --');
    },
  );

  it('lists every command', () => {
    for (const [noun, verbs] of Object.entries(commands)) {
      for (const verb of Object.keys(verbs)) expect(helpOn('')).toMatch(new RegExp(`^  ${noun} ${verb} +\\S`, 'm'));
    }
  });

  it('shows required, optional and alternative flags', () => {
    expect(helpOn('material violate --help')).toContain(' material violate ID --reason S [--json]\n');
    expect(helpOn('user official --help')).toContain(' user official NAME [--off] [--json]\n');
    expect(helpOn('sale create --help')).toContain(
      ' sale create NAME (--item ID | --user NAME | --product ID) (--percent-off N | --amount-off N) ' +
        '[--starts D] [--ends D] [--json]\n',
    );
  });

  it('explains the time zone of a date', () => {
    expect(helpOn('sale create --help')).toMatch(/--starts D .*midnight UTC/);
  });
});
