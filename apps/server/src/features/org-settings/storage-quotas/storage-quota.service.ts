import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import type { StorageQuota } from '../../../platform/http/storage-quota.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { changeOrg, setStorageWarning } from '../../orgs/org.service.ts';
import { storageQuotaChanged, storageWarned } from './storage-quota.entries.ts';
import { enqueueStorageMails } from './storage-quota.mail.ts';
import { countStorage } from './storage-quota.processor.ts';
import { readStorage, warnedPercentOf } from './storage-quota.reads.ts';
import { ensureStorage, lockCounting, recountStorage, subtractFromStorage } from './storage-quota.store.ts';

/** Sets the quota of an org; null for the default of the installation. Repeating it records nothing. */
export async function changeStorageQuota(ctx: Ctx, { bytes, rows }: StorageQuota): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await changeOrg(ctx, {
      values: { storage_quota_bytes: bytes, storage_quota_rows: rows },
      isNews: (org) =>
        org.or([
          org('storage_quota_bytes', 'is distinct from', bytes),
          org('storage_quota_rows', 'is distinct from', rows),
        ]),
      tell: (ctx, subject) => emit(ctx, storageQuotaChanged, subject, { bytes, rows }),
    });
    await ensureStorage(ctx.db, ctx.org);
  });
}

/** Recounts all evidence of an org, after some of it was removed by hand. */
export async function recount(ctx: Ctx): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockCounting(ctx.db, ctx.org, countStorage.name);
    await recountStorage(ctx.db, ctx.org, countStorage.name);
  });
}

/** Subtracts what was erased of something that the entry with this number added. In the transaction of the erasure. */
export async function discount(
  ctx: Ctx,
  erased: { readonly entrySeq: number; readonly bytes: number; readonly rows: number },
): Promise<void> {
  await lockCounting(ctx.db, ctx.org, countStorage.name);
  await subtractFromStorage(ctx.db, ctx.org, countStorage.name, erased);
}

/** Warns the admins of an org when it reaches 80 or 100 percent of its quota, once until it falls below. */
export async function warnAdmins(ctx: Ctx, standard: StorageQuota): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'org', ctx.org);
    const storage = await readStorage(ctx.db, ctx.org, standard);
    const percent = warnedPercentOf(storage);
    const seq = await setStorageWarning(ctx, percent);
    if (seq === undefined) return;
    await emit(ctx, storageWarned, { kind: 'org', id: ctx.org, seq }, { percent, ...storage });
    await enqueueStorageMails(ctx);
  });
}
