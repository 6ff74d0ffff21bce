import { runTasks } from '#children/run-tasks.js';
import { type ReadTask } from './mockup.schema.js';
import { PsdMistake } from './psd-mistake.js';
import { readMockup } from './read-mockup.js';

/** Child process that reads PSDs. No other process decodes them. */
runTasks<ReadTask>((task) => {
  try {
    return Promise.resolve(readMockup(task));
  } catch (error) {
    if (error instanceof PsdMistake) return Promise.resolve({ kind: 'mistake', message: error.message.slice(0, 500) });
    throw error;
  }
});
