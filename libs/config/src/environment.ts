import { readFileSync } from 'node:fs';
import { type z } from 'zod';

/** The environment does not fit the settings of an app. `problems` has one line for each wrong variable. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';

  constructor(readonly problems: readonly string[]) {
    super(`The environment is not usable:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
}

/**
 * Base of a class that is the type of settings, which Nest injects by the type of a parameter:
 * `abstract class GatewayEnv extends settingsClass<z.output<typeof Settings>>() {}`.
 */
export const settingsClass = <Settings extends object>() => Object as unknown as abstract new () => Settings;

/**
 * `X_FILE=/run/secrets/x` stands for `X`, when X is one of the settings: the file's text without its last line break. An
 * empty variable is unset. Other programs' variables that end in _FILE are none of our business.
 *
 * @returns the values, and what is wrong with the files, by setting
 */
function withFiles(environment: NodeJS.ProcessEnv, settings: readonly string[]) {
  const values: Record<string, string> = {};
  const problems = new Map<string, string>();
  for (const [name, value] of Object.entries(environment)) if (value) values[name] = value;
  for (const target of settings) {
    const name = `${target}_FILE`;
    const path = values[name];
    // A setting that ends so itself, TLS_CERT_FILE, names a file that is not the value of another one
    if (path === undefined || settings.includes(name)) continue;
    if (values[target]) problems.set(target, `${target}: set either ${target} or ${name}, not both`);
    else {
      try {
        values[target] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      } catch (error) {
        problems.set(target, `${name}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
      }
    }
  }
  return { values, problems };
}

/**
 * Reads typed settings from environment variables, once, at start. All wrong variables are reported together, by name
 * and never with their value, because some are secrets.
 *
 * @throws EnvironmentError
 */
export function readEnvironment<Shape extends z.ZodType>(
  shape: Shape,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<Shape> {
  const settings = 'shape' in shape ? Object.keys(shape.shape as object) : [];
  const { values, problems } = withFiles(environment, settings);
  const parsed = shape.safeParse(values);
  if (parsed.success && problems.size === 0) return parsed.data;
  // What a file should have said is not missing as well
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !problems.has(String(path[0])));
  throw new EnvironmentError([
    ...problems.values(),
    ...issues.map((issue) => `${issue.path.join('.') || 'environment'}: ${issue.message}`),
  ]);
}

/** The exit code of a process whose settings are wrong (EX_CONFIG of sysexits.h): starting it again cannot help. */
export const wrongSettingsExitCode = 78;

/** The same for the first line of a `main.ts`: wrong settings are printed and end the process. */
export function readEnvironmentOrExit<Shape extends z.ZodType>(shape: Shape): z.output<Shape> {
  try {
    return readEnvironment(shape);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(wrongSettingsExitCode);
  }
}
