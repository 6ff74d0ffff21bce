import { readFileSync } from 'node:fs';
import { type z } from 'zod';

/**
 * Validation error of the environment of an app. `problems` has one line for each error, with the
 * name of its variable.
 */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';

  constructor(readonly problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
}

/**
 * Returns the base of a settings class, which is the injection token of the settings in Nest:
 * `abstract class GatewayEnv extends settingsClass<z.output<typeof Settings>>() {}`.
 */
export const settingsClass = <Settings extends object>() => Object as unknown as abstract new () => Settings;

/**
 * Resolves `X_FILE=/run/secrets/x` to a value of `X`, if X is one of the settings: the text of the
 * file without its last line break. An empty variable is unset. Variables of other programs that
 * end in _FILE are ignored.
 *
 * @returns the values, and the errors of the files, by setting
 */
function withFiles(environment: NodeJS.ProcessEnv, settings: readonly string[]) {
  const values: Record<string, string> = {};
  const problems = new Map<string, string>();
  for (const [name, value] of Object.entries(environment)) if (value) values[name] = value;
  for (const target of settings) {
    const name = `${target}_FILE`;
    const path = values[name];
    // TLS_CERT_FILE is itself a setting that holds a path, and not the file of a setting TLS_CERT
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
 * Reads typed settings from environment variables at startup. All invalid variables are reported
 * together by name, never with their values, because some are secrets.
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
  // A setting whose file cannot be read is not reported as missing too
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !problems.has(String(path[0])));
  throw new EnvironmentError([
    ...problems.values(),
    ...issues.map((issue) => `${issue.path.join('.') || 'environment'}: ${issue.message}`),
  ]);
}

/**
 * Exit code of a process with invalid settings (EX_CONFIG of sysexits.h): a restart cannot help.
 */
export const wrongSettingsExitCode = 78;

/**
 * Reads settings like `readEnvironment`, for the first line of a `main.ts`. Invalid settings are
 * printed to standard error and end the process.
 */
export function readEnvironmentOrExit<Shape extends z.ZodType>(shape: Shape): z.output<Shape> {
  try {
    return readEnvironment(shape);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(wrongSettingsExitCode);
  }
}
