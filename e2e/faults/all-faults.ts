import { clockFaults } from './clock-faults.js';
import { diskFaults } from './disk-faults.js';
import { endpointFaults } from './endpoint-faults.js';
import type { Fault } from './fault.js';
import { networkFaults } from './network-faults.js';
import { processFaults } from './process-faults.js';
import { serverFaults } from './server-faults.js';

export const allFaults: readonly Fault[] = [
  ...processFaults,
  ...serverFaults,
  ...networkFaults,
  ...diskFaults,
  ...endpointFaults,
  ...clockFaults,
];
