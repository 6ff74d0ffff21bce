import { runningStack } from '#config';
import { readEnv } from '../env.js';

/** A gateway and the credentials of a user. */
export interface GatewayAccess {
  readonly url: string;
  readonly apiKey: string;
}

/**
 * Returns the gateway and the API key. The environment takes precedence over the stack of DATA_DIR.
 * The key of that stack is sent to no other gateway.
 *
 * @throws Error with a one-line message
 */
export function gatewayAccess(): GatewayAccess {
  const { GATEWAY_URL: url, API_KEY: given } = readEnv();
  if (url !== undefined) {
    if (given === undefined) throw new Error('GATEWAY_URL is set: also set API_KEY to a key of a user of that shop.');
    return { url, apiKey: given };
  }
  try {
    const { localUrl, apiKey } = runningStack();
    return { url: localUrl, apiKey: given ?? apiKey };
  } catch (error) {
    throw new Error((error as Error).message.replace('REDIS_REQUESTS_URL', 'GATEWAY_URL and API_KEY'), {
      cause: error,
    });
  }
}
