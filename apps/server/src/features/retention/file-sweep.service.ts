import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Logger } from '../../platform/log.ts';
import * as store from './file-sweep.store.ts';

const HOUR_MS = 3_600_000;
/** Longer than an upload takes, from the claim of its file to the record that refers to it. */
const UPLOAD_MS = HOUR_MS;
/**
 * How long a file stays that nothing refers to. After a restore of the database to a moment further back, records may
 * refer to files that are gone.
 */
export const UNUSED_FILE_MS = 7 * 24 * HOUR_MS;
/** Longer than a removal can be under way, in a process or in the network. */
const LATE_REMOVAL_MS = 24 * HOUR_MS;

const PAGE_SIZE = 1_000;
/** Of all orgs in one run. Each org gets one before any gets the next. */
const PAGES_PER_RUN = 200;
const REMOVALS_PER_RUN = 5_000;
const FAILURES_BORNE = 20;

interface SweepParts {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly log: Logger;
  readonly now: () => Date;
  readonly pageSize?: number;
}

/**
 * Removes files from the evidence store that nothing refers to, and the attachments of erased attestations. Whatever
 * kills it, a repetition goes on where it stopped.
 */
export async function sweepFiles(parts: SweepParts): Promise<void> {
  const { db, now } = parts;
  await store.markErased(db, earlier(now(), UPLOAD_MS), now(), REMOVALS_PER_RUN);
  for (let pages = 0; pages < PAGES_PER_RUN; ) {
    const due = await store.listDueOrgs(db, now(), PAGES_PER_RUN - pages);
    if (due.length === 0) break;
    for (const org of due) await sweepPage(parts, org);
    pages += due.length;
  }
  await removeMarked(parts);
  await store.deleteRemoved(db, earlier(now(), LATE_REMOVAL_MS), REMOVALS_PER_RUN);
}

/** One page of what is known about the files of an org, and one of what is in the evidence store. */
async function sweepPage(parts: SweepParts, org: store.SweptOrg): Promise<void> {
  const { db, blobs, now, pageSize = PAGE_SIZE } = parts;
  const isBeginning = org.reached === '' && org.listed === '';
  const claimedBefore = earlier(now(), UNUSED_FILE_MS);
  const page = { claimedBefore, now: now(), limit: pageSize };
  const reached = isBeginning || org.reached !== '' ? await store.markUnused(db, org, page) : '';
  let listed = '';
  if (isBeginning || org.listed !== '') {
    const files = await blobs.list(org.org_id, org.listed, pageSize);
    const old = files.filter(({ modifiedAt }) => modifiedAt < claimedBefore);
    const found = old.map((file) => ({ ...file, org_id: org.org_id }));
    for (const { sha256, generation } of await store.adoptFiles(db, org.org_id, found))
      await blobs.remove(org.org_id, sha256, generation);
    listed = files.length === pageSize ? (files.at(-1)?.name ?? '') : '';
  }
  await store.updateReached(db, { ...org, reached, listed }, now());
}

/**
 * One that cannot be removed does not keep the others. Uploads pass by a generation as long as its row is there, so
 * that it does no harm if two workers remove the same.
 */
async function removeMarked({ db, blobs, log, now }: SweepParts): Promise<void> {
  const files = await store.listRemovable(db, REMOVALS_PER_RUN);
  const until = now().getTime() + UPLOAD_MS;
  const failures: unknown[] = [];
  for (const file of files) {
    // After a pause, what was read may be long past.
    if (now().getTime() > until || failures.length === FAILURES_BORNE) break;
    try {
      await blobs.remove(file.org_id, file.sha256, file.generation);
      await store.updateToRemoved(db, file, now());
    } catch (error) {
      failures.push(error);
      log.error({ err: error, file }, 'an evidence file could not be removed');
    }
  }
  if (files.length > failures.length) log.info({ files: files.length - failures.length }, 'removed evidence files');
  if (failures.length > 0) throw failures[0];
}

function earlier(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}
