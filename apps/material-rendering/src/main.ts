import { startService } from '#request-queue';
import { Env } from './env.js';
import { MaterialRenderingModule } from './material-rendering.module.js';

startService('material-rendering', Env, (env, log) => MaterialRenderingModule.with(env, log), {
  // Takes requests from the queue one by one: rendering is CPU-bound, and a request that one
  // replica has taken cannot be rendered by another
  batch: 1,
  handlesRequests: (env) => env.RENDERING_ROLES.has('requests'),
});
