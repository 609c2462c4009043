import { join } from 'node:path';

/** Everything is in one folder. */
export const MIGRATIONS = join(import.meta.dirname, 'migrations');
export const WEB = join(import.meta.dirname, 'web');
export const SANDBOX_WORKER = new URL('./sandbox-worker.js', import.meta.url);
