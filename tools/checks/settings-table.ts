import type { z } from 'zod';
import { type ServerName, serviceNames } from '#contracts';
import { StackEnvironment as Address } from '#config';
import { SandboxEnv as Sandbox } from '../../apps/material-rendering/src/children/sandbox-env.js';
import { Environment as Stack } from '../dev-stack/settings.js';
import { BlobStoreEnvironment as Keys } from '#storage';
import { Environment as Migrate } from '../../apps/migrate/src/env.js';
import { Env as Operator } from '../../apps/operator/src/env.js';
import { Env as Seed } from '../../apps/seed/src/env.js';
import { describeSetting, type DescribedSetting } from './describe-setting.js';

const servers = ['gateway', ...serviceNames] as const;

/** Settings of each app that runs until it is stopped: the `Env` of its env.ts. */
export const settingsOfServer = Object.fromEntries(
  await Promise.all(
    servers.map(async (app) => {
      const { Env } = (await import(`../../apps/${app}/src/env.js`)) as { Env: z.ZodObject };
      return [app, Env] as const;
    }),
  ),
) as Readonly<Record<ServerName, z.ZodObject>>;

/** Settings that each program reads from its environment. */
export const settingsOf: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  ...Object.fromEntries(servers.map((app) => [app, settingsOfServer[app].shape])),
  sandbox: Sandbox.shape,
  migrate: Migrate.shape,
  seed: Seed.shape,
  'npm start': Stack.shape,
  operator: { ...Operator.shape, ...Keys.shape, ...Address.shape },
  demo: Address.shape,
};

/** A setting with its description by program. */
type SettingRow = readonly [name: string, readers: ReadonlyMap<string, DescribedSetting>];

/** Returns all settings by name. */
export function settingRows(): SettingRow[] {
  const rows = new Map<string, Map<string, DescribedSetting>>();
  for (const [program, shapes] of Object.entries(settingsOf))
    for (const [name, shape] of Object.entries(shapes)) {
      const readers = rows.get(name) ?? new Map<string, DescribedSetting>();
      rows.set(name, readers.set(program, describeSetting(shape)));
    }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns the readers of a setting in short form: `gateway, services`. */
function readersText(programs: readonly string[]): string {
  const others = programs.filter((program) => !(serviceNames as readonly string[]).includes(program));
  if (others.length + serviceNames.length > programs.length) return programs.join(', ');
  return [...others.filter((it) => it === 'gateway'), 'services', ...others.filter((it) => it !== 'gateway')].join(
    ', ',
  );
}

const code = (text: string): string => `\`${text}\``;

/** Returns the default of a setting, by program where it differs. */
function fallbackOf(readers: ReadonlyMap<string, DescribedSetting>): string {
  const programs = new Map<string, string[]>();
  for (const [program, { fallback, isOptional }] of readers) {
    const text = fallback ? code(fallback) : isOptional || fallback === '' ? '' : 'required';
    programs.set(text, [...(programs.get(text) ?? []), program]);
  }
  if (programs.size === 1) return [...programs.keys()][0]!;
  return [...programs].flatMap(([text, its]) => (text === '' ? [] : [`${text} (${readersText(its)})`])).join('; ');
}

function cellsOf([name, readers]: SettingRow): string[] {
  const [first] = readers.values();
  const { type, isSecret, meaning = '' } = first!;
  return [code(name), type, fallbackOf(readers), readersText([...readers.keys()]), isSecret ? 'yes' : '', meaning];
}

const head = `# Settings

All environment variables of the programs. A program reads them once, at its start. It lists all invalid ones, by name and
without their values, and exits; the exit code of an app is 78.

- An empty variable counts as unset.
- Every setting \`NAME\` can be set as \`NAME_FILE\`, the path of a file with the value, whose last line break is removed. Use
  this for secrets.
- \`npm start\` sets the required settings of its apps, and passes on its own environment.

The settings' schemas generate this page: \`WRITE_DOCS=1 npm test -- tools/checks/settings-table.spec.ts\`.
`;

/** Returns docs/settings.md, unformatted. */
export function asMarkdown(): string {
  const table = [
    ['Variable', 'Type', 'Default', 'Read by', 'Secret', 'Meaning'],
    Array.from({ length: 6 }, () => '---'),
    ...settingRows().map(cellsOf),
  ];
  return `${head}\n${table.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')}\n`;
}
