import { join } from 'node:path';
import { dataDir } from './endpoints.ts';

/** For programs that tests start hundreds of times: they share a compile cache. */
export const compiled = { NODE_COMPILE_CACHE: join(dataDir, 'compiled') } as const;
