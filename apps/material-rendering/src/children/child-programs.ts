import { type ChildProgram, childPath } from './child-process.js';

/**
 * Decodes images of clients. The limit of 900 MB is twice the need of the worst image within the
 * limits.
 */
export const decodeProgram: ChildProgram = {
  path: childPath('decode.child.js'),
  memoryBytes: 900 * 1024 * 1024,
};

/**
 * Renders texts. `FONTCONFIG_FILE` in its environment must be the path of a configuration with the
 * fonts.
 */
export const renderTextProgram: ChildProgram = {
  path: childPath('render-text.child.js'),
  memoryBytes: 600 * 1024 * 1024,
};
