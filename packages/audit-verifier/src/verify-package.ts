import type { LedgerVerdict, TrustPolicy, VerifyTimeStamp } from '@waymark/transparency';
import { checkDigests, SCHEMA_VERSION } from './check-digests.ts';
import { compareRecord } from './compare.ts';
import { type Completeness, completenessOf } from './completeness.ts';
import { createFindings, type Finding, type Findings } from './findings.ts';
import { objectOf, sha256Bytes } from './json.ts';
import { type PackagedLedger, readLedger, verifyHead } from './ledger.ts';
import { createOutcome, type Outcome } from './outcome.ts';
import type { PackageEntry } from './package-entry.ts';
import { readRecords } from './package-records.ts';
import { type Hashing, MANIFEST, type ReadPackage, readPackage, SUMS } from './read-package.ts';
import { flowOf, orgNameOf, subjectOf } from './subject.ts';
import { verifyEvidence } from './verify-evidence.ts';
import { verifyTrail } from './verify-trail.ts';

export interface PackageOptions extends Hashing {
  /** Without one, nothing proves where the package is from. */
  readonly policy?: TrustPolicy | undefined;
  /** Without it, time stamps are not verified. */
  readonly verifyTimeStamp?: VerifyTimeStamp | undefined;
}

/** Something that no journal entry in a package proves. */
export interface Unproven {
  readonly path: string;
  readonly because: string;
}

/** What can be said about a package. */
export interface PackageVerdict {
  /** What differs, is missing, or does not belong. Empty for a package that is whole. */
  readonly findings: readonly Finding[];
  /** Files that follow from journal entries; proven if the ledger of the package is. */
  readonly proven: readonly string[];
  /** Records and members that no journal entry in the package proves, with the reason. */
  readonly unproven: readonly Unproven[];
  /** Members that no ledger has. They leave a package proven. */
  readonly asides: readonly Unproven[];
  readonly recomputed: readonly string[];
  readonly recorded: readonly string[];
  /** The steps from the head of the org's log to witnesses and time; null without a policy or without a ledger. */
  readonly ledger: LedgerVerdict | null;
  readonly log: { readonly id: string; readonly origin: string; readonly size: number } | null;
  readonly entryCount: number;
  /** A policy was given, the ledger of the package is verified with it, and everything that should be proven is. */
  readonly isProven: boolean;
  readonly files: number;
  readonly records: number;
  readonly attachments: number;
  /** Undefined if nothing can be missing, or nothing is proven. */
  readonly completeness: Completeness | undefined;
  readonly sumsSha256: string | null;
  readonly manifest: Readonly<Record<string, unknown>> | null;
}

/** Files that are made for reading. Nothing in them is verified but their digests. */
export const READING_MATTER = ['index.html', 'README.md'] as const;

/**
 * Verifies a whole package: its files, its journal entries, the records that follow from them, and the verdicts that
 * follow from those. Pure: the caller reads files.
 */
export async function verifyPackage(
  entries: AsyncIterable<PackageEntry>,
  { policy, verifyTimeStamp, ...hashing }: PackageOptions = {},
): Promise<PackageVerdict> {
  const findings = createFindings();
  const read = await readPackage(entries, findings, hashing);
  const outcome = createOutcome(findings);
  // After a truncated archive, every later file would be listed as missing.
  const ledger = read.isBroken ? undefined : await verifyContent(read, outcome);
  const head = ledger?.head ?? null;
  const verdict =
    policy && head ? await verifyHead(head, policy, { hash: read.hash, verifyTimeStamp }, findings) : null;
  const list = findings.list();
  const isProven = verdict?.ok === true && list.length === 0 && outcome.unproven.size === 0;
  return {
    ...countsOf(read),
    findings: list,
    proven: [...outcome.proven],
    unproven: listOf(outcome.unproven),
    asides: listOf(outcome.asides),
    recomputed: outcome.recomputed,
    recorded: outcome.recorded,
    ledger: verdict,
    log: head && { id: head.org.log, origin: head.org.origin, size: head.org.size },
    completeness: ledger && completenessOf(ledger, subjectOf(read), flowOf(ledger)),
    entryCount: ledger?.all.length ?? 0,
    isProven,
  };
}

async function verifyContent(read: ReadPackage, outcome: Outcome): Promise<PackagedLedger | undefined> {
  const { findings } = outcome;
  checkDigests(read, findings);
  // Of another version, nothing more is known.
  if (read.manifest?.['schema_version'] !== SCHEMA_VERSION) return undefined;
  const records = readRecords(read, findings);
  const ledger = readLedger(read, findings);
  const subject = subjectOf(read);
  const verifying = { read, records, ledger, subject, flow: flowOf(ledger), outcome };
  const org = orgNameOf(ledger);
  if (org !== undefined && org !== subject.org)
    findings.add(MANIFEST, `names the org ${subject.org}; the log is that of ${org}`);
  if (ledger.head && org === undefined)
    outcome.unproven.set(`${MANIFEST}, subject.org`, 'the entry of the creation of the org is not in the package');
  checkLedgerFacts(read, ledger, findings);
  verifyEvidence(verifying);
  // Loaded when needed: the engine of policies takes longer to load than a package about a trail to verify.
  if (subject.kind === 'environment') (await import('./verify-environment.ts')).verifyEnvironment(verifying);
  else verifyTrail(verifying);
  for (const path of read.files.keys()) if (!isKnown(path)) findings.add(path, 'is a file that no package has');
  return ledger;
}

/** What the manifest says of the ledger is what the ledger of the package says. */
function checkLedgerFacts({ manifest }: ReadPackage, { head, all }: PackagedLedger, findings: Findings): void {
  const { log, size, entry_count: entries } = objectOf(manifest?.['ledger']);
  const actual = { log: head?.org.log ?? null, size: head?.org.size ?? null, entry_count: all.length };
  compareRecord(MANIFEST, { log, size, entry_count: entries }, actual, findings);
}

const KNOWN = [
  SUMS,
  MANIFEST,
  ...READING_MATTER,
  'records/trail.json',
  'records/template.json',
  'records/explanation.json',
  'records/environment.json',
];
const KNOWN_FOLDERS =
  /^(ledger|attachments|records\/(artifacts|attestations|approvals|events|types|snapshots|decisions|evidence|readings|policies|waivers))\//;

function isKnown(path: string): boolean {
  return KNOWN.includes(path) || KNOWN_FOLDERS.test(path);
}

function listOf(unproven: ReadonlyMap<string, string>): Unproven[] {
  return [...unproven].map(([path, because]) => ({ path, because }));
}

function countsOf({ files, texts, manifest }: ReadPackage) {
  const paths = [...files.keys()];
  const sums = texts.get(SUMS);
  return {
    files: paths.length,
    records: paths.filter((path) => path.startsWith('records/')).length,
    attachments: paths.filter((path) => path.startsWith('attachments/')).length,
    sumsSha256: sums ? sha256Bytes(sums) : null,
    manifest,
  };
}
