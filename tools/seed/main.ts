import { DomainError } from '#kernel';
import { seed } from '../dev-stack/seed.js';
import { readEnv } from './env.js';

// Fills a shop that runs elsewhere, in containers, as `npm start` fills its own. What is there already stays.
const env = readEnv();
try {
  await seed({
    requestsUrl: env.REDIS_REQUESTS_URL,
    localUrl: env.GATEWAY_URL,
    password: env.DEMO_PASSWORD,
    products: true,
    say: (line) => console.log(line),
  });
} catch (error) {
  console.error(error instanceof DomainError ? error.message : error);
  process.exitCode = 1;
}
