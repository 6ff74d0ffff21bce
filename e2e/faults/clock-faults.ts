import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';

const jumps = 3;
const betweenJumpsMs = 3_000;

/**
 * Clock faults. The clocks of all apps jump ahead by an hour, back by two, and to the time of the
 * servers and webhook endpoints again.
 */
export const clockFaults: readonly Fault[] = [
  {
    name: 'clocks jump by an hour',
    async inject({ processes }, receiver) {
      receiver.mode = 'strict';
      for (let jump = 1; jump <= jumps; jump += 1) {
        for (const { pid } of processes) process.kill(pid!, 'SIGUSR2');
        await sleep(betweenJumpsMs);
      }
      receiver.mode = 'healthy';
    },
  },
];
