import { readFile } from 'node:fs/promises';
import { answerParent } from '../answer-parent.js';
import { decodeLevel } from '../pipeline/pyramid.js';
import { measure } from './measure.js';
import type { LevelOrder, MeasureOrder } from './measurement.js';

/** The process in which pictures of clients are decoded: no other one ever opens their bytes. */
answerParent<MeasureOrder | LevelOrder>(async (order) => {
  const bytes = await readFile(order.path);
  return order.kind === 'level' ? decodeLevel(bytes, order.edge) : measure(bytes);
});
