import { join } from 'node:path';
import { dataDir } from './endpoints.ts';

/** For programs that tests start hundreds of times: what one has compiled the next need not. */
export const compiled = { NODE_COMPILE_CACHE: join(dataDir, 'compiled') } as const;
