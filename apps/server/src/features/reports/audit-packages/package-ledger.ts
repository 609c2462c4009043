import { setTimeout as sleep } from 'node:timers/promises';
import { formatEntry, formatHeadProof, type HeadProof } from '@waymark/transparency';
import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { readHeadProof } from '../../../platform/ledger/head-proof.ts';
import { findOrgLog, type OrgLog } from '../../../platform/ledger/org-tiles.ts';
import { readProvenEntries } from '../../../platform/ledger/proven-entries.ts';
import { findSealedHeads } from '../../../platform/ledger/sealed-heads.ts';
import type { WitnessPolicy } from '../../../platform/ledger/witness-policy.ts';
import type { PackageFile } from './archive.ts';
import { listPlaces, type PackageSubject } from './ledger-subjects.reads.ts';

/** The part of the ledger that a package carries. */
export interface PackageLedger {
  readonly proof: { readonly log: OrgLog; readonly head: HeadProof; readonly indexes: readonly number[] } | undefined;
  /** Files of the package that their entries do not prove. */
  readonly notProven: readonly string[];
  readonly because: string | null;
}

/** Entries are sealed within a second or two. Whoever exports a package does not wait for longer than this. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 200;
const ENTRIES_PER_READ = 200;
const MAX_LISTED = 1_000;

/** Finds the entries of subjects, and a signed head that covers them. Waits while some are not sealed yet. */
export async function findPackageLedger(
  ctx: Ctx,
  policy: WitnessPolicy,
  subjects: readonly PackageSubject[],
  patienceMs = PATIENCE_MS,
): Promise<PackageLedger> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const found = await findNow(ctx, policy, subjects);
    const isWaiting = found.notProven.length > 0 && (await isSigning(ctx));
    if (!isWaiting || performance.now() >= until) return found;
    await sleep(PAUSE_MS);
  }
}

async function findNow(ctx: Ctx, policy: WitnessPolicy, subjects: readonly PackageSubject[]): Promise<PackageLedger> {
  const places = await listPlaces(ctx, subjects);
  const [log] = await findOrgLog(ctx.db, { org_id: ctx.org });
  const head =
    log &&
    (await newestHead(
      ctx,
      policy,
      log,
      places.map(({ index }) => index),
    ));
  const sealed = head ? places.filter(({ index }) => index < head.org.size) : [];
  const proven = new Set(sealed.map(({ subject_id }) => subject_id));
  const notProven = [...new Set(subjects.filter(({ id }) => !proven.has(id)).map(({ path }) => path))];
  const because = notProven.length === 0 ? null : await reasonOf(ctx);
  if (!log || !head) return { proof: undefined, notProven, because };
  return { proof: { log, head, indexes: sealed.map(({ index }) => index) }, notProven, because };
}

/** The first head with the newest of the entries that is sealed. */
async function newestHead(
  ctx: Ctx,
  policy: WitnessPolicy,
  log: OrgLog,
  indexes: readonly number[],
): Promise<HeadProof | undefined> {
  const inLog = indexes.filter((index) => index < log.size);
  const [last] = inLog.slice(-1);
  if (last === undefined) return undefined;
  const head = await readHeadProof(ctx.db, policy, log, last);
  if (head) return head;
  const sealed = await findSealedHeads(ctx.db, log.log_id, inLog);
  const newest = inLog.findLast((index) => sealed.has(index));
  return newest === undefined ? undefined : readHeadProof(ctx.db, policy, log, newest);
}

interface SealerState {
  readonly has_key: boolean;
  readonly stopped_because: string | null;
}

async function readSealer(ctx: Ctx): Promise<SealerState | undefined> {
  const { rows } = await sql<SealerState>`select has_key, stopped_because from sealer`.execute(ctx.db);
  return rows[0];
}

async function isSigning(ctx: Ctx): Promise<boolean> {
  const sealer = await readSealer(ctx);
  return sealer?.has_key === true && sealer.stopped_because === null;
}

async function reasonOf(ctx: Ctx): Promise<string> {
  const sealer = await readSealer(ctx);
  if (sealer?.stopped_because) return `signing stopped: ${sealer.stopped_because}`;
  if (!sealer?.has_key) return 'this installation does not sign checkpoints';
  return 'their journal entries were not sealed yet when the package was exported';
}

/** As the manifest has it. */
export function ledgerFacts({ proof, notProven, because }: PackageLedger): object {
  return {
    log: proof?.head.org.log ?? null,
    size: proof?.head.org.size ?? null,
    entry_count: proof?.indexes.length ?? 0,
    not_proven: notProven.slice(0, MAX_LISTED),
    not_proven_count: notProven.length,
    because,
  };
}

export async function* ledgerFiles(ctx: Ctx, { proof }: PackageLedger): AsyncGenerator<PackageFile> {
  if (!proof) return;
  const { log, head, indexes } = proof;
  yield { path: 'ledger/region.tlog-proof', content: formatHeadProof(head) };
  const lines: string[] = [];
  for (let at = 0; at < indexes.length; at += ENTRIES_PER_READ) {
    const some = indexes.slice(at, at + ENTRIES_PER_READ);
    const entries = await readProvenEntries(ctx.db, log, head.org, some);
    for (const entry of entries) lines.push(`${formatEntry(entry)}\n`);
  }
  yield { path: 'ledger/entries.ndjson', content: lines.join('') };
}
