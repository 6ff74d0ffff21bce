import { z } from 'zod';
import { dateTimeFormats } from '#kernel';

const url = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

/** Schema of a whole number with a default. */
export const wholeNumber = (fallback: number, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().min(minimum).max(maximum).default(fallback);

export const databaseUrl = url('postgres:', 'postgresql:')
  .meta({ kind: 'postgres:// URL', secret: true })
  .describe('PostgreSQL 15 or newer. Services connect as their own roles, tools as the owner of all schemas');
export const redisUrl = url('redis:', 'rediss:').meta({ kind: 'redis:// or rediss:// URL', secret: true });
export const redisRequestsUrl = redisUrl.describe(
  'Redis of the request queue. **Must not persist**: secrets pass through it in clear text',
);
export const redisJobsUrl = redisUrl.describe(
  'Redis of events and jobs, a second server, with `appendfsync always` and `noeviction`',
);
export const webUrl = url('http:', 'https:').meta({ kind: 'http:// or https:// URL' });
/** Address at which commands reach the gateway. */
export const gatewayUrl = webUrl
  .transform((text) => text.replace(/(?<!\/)\/+$/, ''))
  .describe('Address of the gateway for commands. Without it they use the stack of DATA_DIR');
export const baseUrl = webUrl
  .transform((text) => text.replace(/(?<!\/)\/+$/, ''))
  .describe('Public URL of the gateway: in links and image URLs, as issuer of tokens, for cookies');

export const smtpUrl = url('smtp:', 'smtps:')
  .meta({ kind: 'smtp:// or smtps:// URL', secret: true })
  .describe('Server that sends mail: [operations.md](operations.md#mail). Without it no mail is sent');

/**
 * Schema of a secret: the key of an HMAC or a cipher, a secret to derive passwords from, or a
 * password.
 */
export const secret = z
  .string()
  .min(32, { error: 'must have at least 32 characters' })
  .meta({ kind: '32 characters or more', secret: true });
export const imageSigningSecret = secret.describe(
  'Key of the signatures of image URLs, which catalog makes and the gateway verifies',
);
export const rolesSecret = secret
  .optional()
  .describe("Secret from which the passwords of the services' roles are derived. Without it `migrate` sets none");

export const queueBoardPassword = secret
  .optional()
  .describe(
    'Password of the user `operator` for the queue board, `/queues` of INTERNAL_PORT. Without it there is no board',
  );

export const port = wholeNumber(3000, 1, 65_535).describe('Port of the API and the pages');
export const host = (fallback: string) => z.string().default(fallback).describe('Address to listen on');

export const accessTokenTtl = wholeNumber(0, 0, 31_536_000).describe(
  "Lifetime of an application's access token in seconds; the application then gets refresh tokens too. 0: until revoked",
);
export const responseCacheMb = (fallback: number) =>
  wholeNumber(fallback, 0, 4_096).describe('Response cache of a process in MB (1,048,576 bytes). 0 disables it');

/** Schema of a comma-separated list, which becomes a set of lower-case entries. */
export const listOf = <Entry extends z.ZodType<string, string>>(entry: Entry, fallback: readonly string[]) =>
  z
    .string()
    .default(fallback.join(','))
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim().toLowerCase())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(entry))
    .transform((entries): ReadonlySet<z.output<Entry>> => new Set(entries));

const allowedHost = z.string().regex(/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?$/, {
  error: 'must be a list of host or host:port, separated by commas',
});

/** Internal hosts that an app may connect to, although they are not public. */
export const allowedHosts = listOf(allowedHost, []).meta({ kind: 'list of `host` or `host:port`' });

/** Log settings of every process. */
export const logSettings = z.object({
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Lowest level that is logged'),
  LOG_FORMAT: z.enum(['json', 'pretty']).default('json').describe('`pretty` is for terminals; `npm start` sets it'),
});

// The maximum is below 65,535, because the other processes of a stack use the next ports
export const internalPort = wholeNumber(0, 0, 65_000).describe(
  'Port of health checks and metrics, on all addresses. With `npm start` each further process has the next port. ' +
    '0: none. **Never publish it**',
);

/** Headers as `name=value,name=value`, with special characters percent-encoded (`%20`). */
const headers = z.string().transform((text, context) => {
  const pairs = text.split(',').map((part) => /^\s*([\w-]+)\s*=(.*)$/.exec(part) ?? []);
  try {
    return Object.fromEntries(pairs.map(([, name, value]) => [name!.toLowerCase(), decodeURIComponent(value!.trim())]));
  } catch {
    context.addIssue({ code: 'custom', message: 'must look like name=value,name=value, with %20 for a space' });
    return z.NEVER;
  }
});

/** Tracing settings, by the names of the OpenTelemetry specification. */
const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl
    .optional()
    .describe('OpenTelemetry collector of spans, `http://collector:4318`. Without it nothing is traced'),
  OTEL_EXPORTER_OTLP_HEADERS: headers
    .optional()
    .meta({ kind: 'list of `name=value`', secret: true })
    .describe('Headers for the collector: `api-key=...`'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ kind: 'number from 0 to 1' })
    .describe('Sampling ratio of traces. The gateway decides, services follow (parent-based)'),
};

/** Settings of every app. */
export const appSettings = logSettings.extend({
  INTERNAL_PORT: internalPort,
  INTERNAL_HOST: z.string().optional().describe('Address of INTERNAL_PORT, instead of all'),
  ...traceSettings,
});

/**
 * Settings of every service: those of an app, the database, the two Redis servers, the concurrency
 * of requests and the grace period of a shutdown.
 */
export const serviceSettings = appSettings.extend({
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: wholeNumber(10, 1, 500).describe(
    'PostgreSQL connections of a process, besides one for its outbox',
  ),
  REDIS_REQUESTS_URL: redisRequestsUrl,
  REDIS_JOBS_URL: redisJobsUrl,
  REQUEST_SLOTS: wholeNumber(64, 1, 10_000).describe('Concurrent requests of a process, and as many slow ones'),
  // Maximum 14 s, because the process is forced to exit after 24 s, and the rest of the shutdown
  // takes up to 9 s while Redis and PostgreSQL do not respond. Requests and jobs drain concurrently
  DRAIN_MS: wholeNumber(14_000, 0, 14_000).describe('Grace period for running requests and jobs at shutdown'),
});

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** Time zone and format of timestamps in responses. */
export const dateTimeSettings = {
  TIME_ZONE: z
    .string()
    .refine(isTimeZone, { error: 'must be an IANA time zone' })
    .default('UTC')
    .meta({ kind: 'IANA name' })
    .describe('Time zone of timestamps in responses'),
  DATE_TIME_FORMAT: z.enum(dateTimeFormats).default('spec').describe('Format of timestamps in responses'),
};
