import { Transfer, transferTickMs } from './transfer.js';

const passed = (transfer: Transfer, ms: number): void => {
  for (let ticked = 0; ticked < ms; ticked += transferTickMs) transfer.tick();
};

it('counts the average since the beginning by ticks, until all has come', () => {
  const transfer = new Transfer();
  transfer.add(3_000);
  passed(transfer, 1_000);
  expect([transfer.rate, transfer.isOlderThan(1_000), transfer.isOlderThan(999)]).toEqual([3_000, false, true]);
  passed(transfer, 4_000);
  expect(transfer.rate).toBe(600);
  transfer.add(2_000);
  expect([transfer.rate, transfer.isOlderThan(4_999)]).toEqual([1_000, true]);
  transfer.arrived();
  passed(transfer, 60_000);
  expect([transfer.rate, transfer.isOlderThan(0)]).toEqual([Infinity, false]);
});
