import { DomainError } from '#kernel';
import { seed, seedProducts } from '#demo-shop';
import { readEnv } from './env.js';

// Seeds a running installation, for example in containers, with the demo data of `npm start`.
// Existing data stays, but a changed password of the user demo is reset.
const env = readEnv();
try {
  const { REDIS_REQUESTS_URL: requestsUrl, GATEWAY_URL: localUrl, DEMO_PASSWORD: password } = env;
  const log = (line: string) => console.log(line);
  const { apiKey } = await seed({ requestsUrl, password, log });
  await seedProducts({ requestsUrl, localUrl, apiKey, log });
} catch (error) {
  console.error(error instanceof DomainError ? error.message : error);
  process.exitCode = 1;
}
