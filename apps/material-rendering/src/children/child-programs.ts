import { type ChildProgram, childPath } from './child-process.js';

/** Decodes images of clients. 900 MB: twice the worst image within the limits. */
export const decodeProgram: ChildProgram = {
  path: childPath('decode.child.js'),
  memoryBytes: 900 * 1024 * 1024,
};

/** Draws texts; its environment must name the fonts. */
export const writeProgram: ChildProgram = {
  path: childPath('write.child.js'),
  memoryBytes: 600 * 1024 * 1024,
};
