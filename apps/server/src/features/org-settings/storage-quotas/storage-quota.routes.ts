import { getStorage } from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import type { StorageQuota } from '../../../platform/http/storage-quota.ts';
import { readStorage, toStorage } from './storage-quota.reads.ts';

export function storageRoutes(app: App, standard: StorageQuota): void {
  handle(app, getStorage, async (ctx) => toStorage(await readStorage(ctx.db, ctx.org, standard)));
}
