import { answerParent } from './answer-parent.js';
import { decodeLevel } from '../pipeline/level.js';
import { measure } from './measure.js';
import type { LevelOrder, MeasureOrder } from '../textures/measurement.schema.js';

/** The process in which images of clients are decoded: no other one ever opens their bytes. */
answerParent<MeasureOrder | LevelOrder>((order) =>
  order.kind === 'level' ? decodeLevel(order.bytes, order.edge) : measure(order.bytes),
);
