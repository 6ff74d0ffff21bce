import { pauseAfterRound } from './relay-pause.js';

describe('the pause after a round of a relay', () => {
  it.each([
    ['its last events are received in batches only', ['choice.updated', 'favorite.placed'], 5, 100],
    ['one subscriber receives an event singly', ['material.created', 'product.published'], 5, 20],
    ['it has a broadcast', ['choice.updated', 'items.changed'], 5, 20],
    ['it has an event of a newer version', ['choice.updated', 'later.added'], 5, 20],
    ['it has no events', [], 5, 20],
    ['it was long', ['material.created'], 60, 100],
  ])('if %s', (_case, names, roundMs, pauseMs) => {
    expect(pauseAfterRound(roundMs, names)).toBe(pauseMs);
  });
});
