import { join } from 'node:path';

/** Where the files are that the server reads beside its code. `places.bundled.ts` takes its place in a bundle. */
export const MIGRATIONS = join(import.meta.dirname, '../../migrations');
export const WEB = join(import.meta.dirname, '../../../web/dist');
export const SANDBOX_WORKER = new URL('./sandbox/worker.ts', import.meta.url);
