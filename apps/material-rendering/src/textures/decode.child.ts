import { measure } from './measure.js';
import type { FromChild, MeasureOrder } from './measurement.js';

/**
 * The process in which pictures of clients are decoded for the first time. It holds no connection and no secret, its
 * memory is bounded, and whoever started it kills it when it takes too long: nothing else stops a native decoder.
 */
const say = (message: FromChild): void => {
  process.send?.(message);
};

process.on('message', ({ id, bytes }: MeasureOrder) => {
  void measure(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).then((measurement) =>
    say({ id, measurement }),
  );
});
// Also when the parent is killed and cannot say goodbye
process.on('disconnect', () => process.exit(0));
// A terminal sends its Ctrl-C to the whole group; the parent still needs an answer while it drains
process.on('SIGINT', () => undefined);
say({ ready: true });
