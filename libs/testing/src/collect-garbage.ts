import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees what nothing holds any more, at once: what memory is measured to be after it, is held. */
export const collectGarbage = runInNewContext('gc') as () => void;
