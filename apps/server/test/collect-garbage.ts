import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** For tests that measure held memory, without garbage. */
export const collectGarbage: () => void = runInNewContext('gc');
