import { splitIntoCommands } from './split-into-commands.js';

describe('a batch', () => {
  it('is split into commands of at most 256 items and 4 MB', () => {
    expect(
      splitIntoCommands(
        Array.from({ length: 600 }, () => 1),
        () => 1,
      ).map(({ length }) => length),
    ).toEqual([256, 256, 88]);
    expect(splitIntoCommands([3, 1, 1, 5, 1], (size) => size * 1024 * 1024)).toEqual([[3, 1], [1], [5], [1]]);
  });
});
