import { bytesText, STORAGE_WARNING_PERCENT } from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import type { StorageQuota } from '../../../platform/http/storage-quota.ts';
import { layOutMail } from '../../../platform/mail/mail-layout.ts';
import type { MailKind } from '../../../platform/mail/outbox.ts';
import { findAdmin, insertMailsToAdmins } from '../../memberships/admin-mail.service.ts';
import { readStorage, type StorageView, warnedPercentOf } from './storage-quota.reads.ts';

const KIND = 'storage-quota';
const LIFE_MS = 3 * 24 * 3_600_000;

export async function enqueueStorageMails(ctx: Ctx): Promise<void> {
  await insertMailsToAdmins(ctx.db, ctx.org, { kind: KIND, now: ctx.now(), dueAt: ctx.now() });
}

/** Tells an admin how much of the storage quota is used, before evidence is refused, and when it is. */
export function storageMail(publicUrl: string, standard: StorageQuota): MailKind {
  return {
    kind: KIND,
    lifeMs: LIFE_MS,
    async render(db, { subjectId, orgId }) {
      if (orgId === null) return undefined;
      const admin = await findAdmin(db, orgId, subjectId);
      const storage = await readStorage(db, orgId, standard);
      const percent = warnedPercentOf(storage);
      if (!admin || percent === 0) return undefined;
      return { to: admin.email, ...content(publicUrl, admin.org_name, storage, percent === 100) };
    },
  };
}

function content(publicUrl: string, org: string, storage: StorageView, isFull: boolean) {
  return layOutMail({
    title: isFull
      ? `The storage quota of ${org} is exhausted`
      : `${org} has used ${STORAGE_WARNING_PERCENT} percent of its storage quota`,
    before: [
      isFull
        ? 'New evidence and environment reports are rejected with 413. Pipelines that report to Waymark fail or ' +
          'spool their evidence.'
        : 'When the quota is exhausted, new evidence and environment reports are rejected.',
      `Bytes: ${amountOf(storage.bytes, storage.quota_bytes, bytesText)}`,
      `Rows: ${amountOf(storage.rows, storage.quota_rows, (rows) => rows.toLocaleString('en-US'))}`,
    ],
    action: { label: 'Show storage', url: `${publicUrl}/${encodeURIComponent(org)}/settings/organization` },
    after: ['Ask the operator of this Waymark installation to raise the quota.'],
  });
}

function amountOf(used: number, quota: number | null, text: (amount: number) => string): string {
  return quota === null ? `${text(used)}, without a quota` : `${text(used)} of ${text(quota)}`;
}
