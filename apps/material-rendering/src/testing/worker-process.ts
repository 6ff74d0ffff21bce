import { NestFactory } from '@nestjs/core';
import { readEnvironment } from '#config';
import { closeOnSignal, createLog } from '#observability';
import { Env } from '../env.js';
import { MaterialRenderingModule } from '../material-rendering.module.js';

// The service in its role `workers`, for tests that end it. The first argument is the lock time of
// an event in milliseconds
const env = readEnvironment(Env);
const log = createLog({ app: 'material-rendering', level: env.LOG_LEVEL, format: env.LOG_FORMAT });
const module = MaterialRenderingModule.with(env, log, Number(process.argv[2]));
const context = await NestFactory.createApplicationContext(module, { logger: false });
closeOnSignal(log, () => context.close());
process.send?.('ready');
