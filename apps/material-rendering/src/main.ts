import { startService } from '#request-queue';
import { Env } from './env.js';
import { MaterialRenderingModule } from './material-rendering.module.js';

startService('material-rendering', Env, (env, log) => MaterialRenderingModule.with(env, log), {
  // Drawing computes: what one replica has taken another one cannot draw
  batch: 1,
  answers: (env) => env.RENDERING_ROLES.has('requests'),
});
