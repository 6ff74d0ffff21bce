import { runTasks } from './run-tasks.js';
import { decodeLevel } from '../pipeline/level.js';
import { measure } from './measure.js';
import type { LevelTask, MeasureTask } from '../textures/measurement.schema.js';

/** Child process that decodes images of clients. No other process decodes them. */
runTasks<MeasureTask | LevelTask>((task) =>
  task.kind === 'level' ? decodeLevel(task.bytes, task.edge) : measure(task.bytes, task.withLevel),
);
