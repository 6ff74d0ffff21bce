import { runTasks } from './run-tasks.js';
import { renderText } from '../pipeline/text.js';
import { measure } from './measure.js';
import type { TextTask, RenderedText } from '../texts/text.renderer.js';

/**
 * Child process that renders texts. `FONTCONFIG_FILE` in its environment is the path of a
 * configuration with the fonts.
 */
runTasks<TextTask>(async ({ text, rgb }): Promise<RenderedText> => {
  const bytes = await renderText(text, rgb);
  return { bytes, measurement: await measure(bytes) };
});
