import { runTasks } from '#children/run-tasks.js';
import { renderText } from '#rendering/text/text.js';
import { outlineText } from '#rendering/text/text-outline.js';
import { measure } from './measure.js';
import { outlineFonts } from '../texts/outline-font.files.js';
import type { OutlinedText, OutlineTask, RenderedText, TextTask } from '../texts/text.renderer.js';

/**
 * Child process that renders texts. `FONTCONFIG_FILE` in its environment is the path of a
 * configuration with the fonts.
 */
runTasks<TextTask | OutlineTask>((task) => ('outlined' in task ? outline(task) : render(task)));

async function render({ text, rgb }: TextTask): Promise<RenderedText> {
  const bytes = await renderText(text, rgb);
  return { bytes, measurement: await measure(bytes) };
}

async function outline({ text, rgb }: OutlineTask): Promise<OutlinedText> {
  const found = await outlineText(text, rgb, outlineFonts);
  return { outline: found && { ...found, path: Buffer.from(found.path, 'latin1') } };
}
