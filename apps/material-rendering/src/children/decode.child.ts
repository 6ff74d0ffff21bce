import { runTasks } from '#children/run-tasks.js';
import { decodeLevel } from '#rendering/level.js';
import { measure } from './measure.js';
import { decodeCut } from '#rendering/print/cut.js';
import type { LevelTask, MeasureTask, CutTask } from '../textures/measurement.schema.js';

/** Child process that decodes images of clients. No other process decodes them. */
runTasks<MeasureTask | LevelTask | CutTask>(async (task) => {
  switch (task.kind) {
    case 'measure':
      return measure(task.bytes, task.withLevel);
    case 'level':
      return decodeLevel(task.bytes, task.edge);
    case 'cut':
      return { data: await decodeCut(task.bytes, task.cut) };
  }
});
