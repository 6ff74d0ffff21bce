import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The environment does not fit the settings of an app. `problems` has one line for each wrong variable. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';

  constructor(readonly problems: readonly string[]) {
    super(`The environment is not usable:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
}

/** `X_FILE=/run/secrets/x` stands for `X`: the file's text without its last line break. An empty variable is unset. */
function withFiles(environment: NodeJS.ProcessEnv): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value) values[name] = value;
  for (const [name, path] of Object.entries(values)) {
    if (!name.endsWith('_FILE') || name === 'TLS_CERT_FILE' || name === 'TLS_KEY_FILE') continue;
    const target = name.slice(0, -'_FILE'.length);
    if (values[target]) throw new EnvironmentError([`${target}: set either ${target} or ${name}, not both`]);
    try {
      values[target] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      throw new EnvironmentError([`${name}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`]);
    }
  }
  return values;
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
  const parsed = shape.safeParse(withFiles(environment));
  if (parsed.success) return parsed.data;
  throw new EnvironmentError(
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'environment'}: ${issue.message}`),
  );
}
