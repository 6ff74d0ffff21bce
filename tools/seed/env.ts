import { z } from 'zod';
import { readEnvironmentOrExit, redisUrl, webUrl } from '#config';

/** The shape of the settings of the seed command. */
export const Env = z.object({
  REDIS_REQUESTS_URL: redisUrl,
  /** Where the gateway is reached from here. */
  GATEWAY_URL: webUrl.transform((url) => url.replace(/(?<!\/)\/+$/, '')),
  /** Of the users demo, hanako and taro. */
  DEMO_PASSWORD: z.string().min(10, { error: 'must have at least 10 characters' }),
});

export const readEnv = (): z.output<typeof Env> => readEnvironmentOrExit(Env);
