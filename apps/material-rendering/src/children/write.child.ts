import { answerParent } from './answer-parent.js';
import { drawText } from '../pipeline/text.js';
import { measure } from './measure.js';
import type { WriteOrder, Written } from '../texts/text.renderer.js';

/** The process in which texts are drawn: its environment says which fonts there are. */
answerParent<WriteOrder>(async ({ text, rgb }): Promise<Written> => {
  const bytes = await drawText(text, rgb);
  return { bytes, measurement: await measure(bytes) };
});
