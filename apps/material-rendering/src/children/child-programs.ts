import { type ChildProgram } from '#children/child-process.js';
import { projectPath } from '#config';

/**
 * Returns the path of a compiled child program: `dist/apps/material-rendering/src/children/{name}`.
 */
export const childPath = (name: string): string => projectPath('dist/apps/material-rendering/src/children', name);

/** Folders that the children of this app read. */
const readable = ['dist/apps/material-rendering/', 'dist/libs/rendering/', 'dist/libs/images/'];

/**
 * Decodes images of clients. The limit of 900 MB is twice the need of the worst image within the
 * limits.
 */
export const decodeProgram: ChildProgram = {
  path: childPath('decode.child.js'),
  memoryBytes: 900 * 1024 * 1024,
  readable,
};

/**
 * Renders texts. `FONTCONFIG_FILE` in its environment must be the path of a configuration with the
 * fonts.
 */
export const renderTextProgram: ChildProgram = {
  path: childPath('render-text.child.js'),
  memoryBytes: 600 * 1024 * 1024,
  readable,
};
