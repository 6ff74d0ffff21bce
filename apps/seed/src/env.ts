import { z } from 'zod';
import { gatewayUrl, readEnvironmentOrExit, redisRequestsUrl } from '#config';

/** Settings of the seed command. */
export const Env = z.object({
  REDIS_REQUESTS_URL: redisRequestsUrl,
  GATEWAY_URL: gatewayUrl,
  DEMO_PASSWORD: z
    .string()
    .min(10, { error: 'must have at least 10 characters' })
    .meta({ kind: '10 characters or more', secret: true })
    .describe('Password of the users demo, hanako and taro'),
});

export const readEnv = (): z.output<typeof Env> => readEnvironmentOrExit(Env);
