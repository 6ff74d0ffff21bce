export * from './coverage.js';
export * from './fit.js';
export * from './matrix.js';
export * from './placement.js';
export * from './placement-errors.js';
export * from './repeats.js';
export * from './tile.js';
