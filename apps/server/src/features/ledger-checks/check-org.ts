import { describe } from './describe.ts';
import type { LedgerDifference } from './difference.ts';
import { BEGINNING, type CheckParts, checkPage, checkRest } from './ledger-check.service.ts';
import { findIndexSince, openProgress, type Progress, storeProgress, storeResult } from './ledger-check.store.ts';

export interface OrgCheckParts extends Omit<CheckParts, 'onDifference'> {
  readonly onDifference?: (difference: LedgerDifference, line: string) => void;
  readonly onProgress?: (entries: number) => void;
  /** In messages. */
  readonly orgName?: string;
}

export interface OrgCheck {
  readonly entries: number;
  readonly problems: number;
  /** False if the comparison is to be continued. */
  readonly isFinished: boolean;
}

/**
 * Compares the ledger of an org, from where the last comparison stopped. Its place is stored after each page, so that one
 * that was interrupted is continued, and `maxEntries` at most are compared now.
 */
export async function checkOrg(
  parts: OrgCheckParts,
  org: string,
  { maxEntries = Number.POSITIVE_INFINITY, restart = false }: { maxEntries?: number; restart?: boolean } = {},
): Promise<OrgCheck> {
  const { db } = parts;
  let progress = await openProgress(db, org, restart);
  for (let compared = 0; compared < maxEntries; ) {
    const found = collector(parts);
    const { index } = progress.place.order;
    const place = await checkPage({ ...parts, onDifference: found.add }, org, progress.place);
    if (place === undefined) {
      await checkRest({ ...parts, onDifference: found.add }, org);
      const result = await found.addTo(progress);
      await storeResult(db, org, result);
      return { entries: index, problems: result.found, isFinished: true };
    }
    const next = { ...(await found.addTo(progress)), place };
    // Another process that compares the same org has stored its place: this one continues from there.
    progress = (await storeProgress(db, org, index, next)) ? next : await openProgress(db, org, false);
    compared += place.order.index - index;
    parts.onProgress?.(place.order.index);
  }
  return { entries: progress.place.order.index, problems: progress.found, isFinished: false };
}

/** Compares what was recorded since a time, without the trees, and stores nothing. */
export async function checkOrgSince(parts: OrgCheckParts, org: string, since: Date): Promise<OrgCheck> {
  const from = await findIndexSince(parts.db, org, since);
  const found = collector(parts);
  let place = from === undefined ? undefined : { ...BEGINNING, order: { index: from, position: 0, seq: 0 } };
  let entries = 0;
  while (place) {
    const next = await checkPage({ ...parts, onDifference: found.add }, org, place, { withTrees: false });
    entries += next ? next.order.index - place.order.index : 0;
    parts.onProgress?.(entries);
    place = next;
  }
  const { found: problems } = await found.addTo({ place: BEGINNING, found: 0, firstFound: null });
  return { entries, problems, isFinished: true };
}

/** Keeps the differences of a page until they are described, which reads the database. */
function collector({ db, orgName, onDifference }: OrgCheckParts) {
  const differences: LedgerDifference[] = [];
  return {
    add: (difference: LedgerDifference) => {
      differences.push(difference);
    },
    async addTo(progress: Progress): Promise<Progress> {
      let { firstFound } = progress;
      for (const difference of differences) {
        const line = await describe(db, difference, orgName);
        firstFound ??= line;
        onDifference?.(difference, line);
      }
      return { ...progress, found: progress.found + differences.length, firstFound };
    },
  };
}
