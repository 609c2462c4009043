import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** For tests that ask how much memory is held, and not how much has become garbage. */
export const collectGarbage: () => void = runInNewContext('gc');
