import { answerParent } from '../answer-parent.js';
import { measure } from './measure.js';
import type { MeasureOrder } from './measurement.js';

/** The process in which pictures of clients are decoded for the first time. */
answerParent<MeasureOrder>(({ bytes }) => measure(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
