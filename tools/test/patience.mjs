import { jest } from '@jest/globals';

// Real servers on a busy two-core machine: 5 seconds, jest's default, is too short for a process start.
jest.setTimeout(60_000);
