import { type EntryLeaf, type ProvenEntry, verifyEntry } from '@waymark/transparency';
import { objectOf, textOf } from './json.ts';
import { type JournalEntry, type PackagedLedger, toJournalEntry } from './ledger.ts';
import { type FlowFacts, isOfFlow, type PackageSubject } from './subject.ts';

/** What a package must be compared with to show that nothing about its subject is missing. */
export interface Completeness {
  /** The leaves before this index cannot be about the subject. */
  readonly from: number;
  /** The size of the log of the org in the package. */
  readonly size: number;
  readonly root: Uint8Array;
  /** Returns whether a leaf can be about the subject, and whether only its content tells. */
  judge(leaf: EntryLeaf, index: number): 'other' | 'missing' | 'later' | 'content';
  /** Returns the same once the content of the entry is known. It must be that of the leaf. */
  judgeContent(leaf: EntryLeaf, entry: ProvenEntry): 'other' | 'missing' | 'later' | 'erased' | 'forged';
}

const EVIDENCE = new Set(['attestation', 'artifact', 'approval']);
const RECORDED = new Set([
  'attestation.recorded',
  'attestation.overridden',
  'attestation.erased',
  'artifact.reported',
  'approval.recorded',
]);

/** Returns undefined for a package about one attestation, or without proofs: nothing can be missing of those. */
export function completenessOf(
  ledger: PackagedLedger,
  subject: PackageSubject,
  flow: FlowFacts,
): Completeness | undefined {
  const kind = subject.kind === 'environment' ? 'environment' : 'trail';
  const own = ledger.ofKind(kind);
  const [first] = own;
  const last = own.at(-1);
  if (!ledger.head || !first || !last || subject.kind === 'attestation') return undefined;
  const { head } = ledger;
  const packaged = new Set(ledger.all.map(({ index }) => index));
  const isLater = ({ at }: Pick<JournalEntry, 'at'>) => at > subject.exportedAt;
  const found = (entry: Pick<JournalEntry, 'at'>) => (isLater(entry) ? 'later' : 'missing');
  return {
    from: first.index,
    size: head.org.size,
    root: head.org.root,
    judge(leaf, index) {
      if (packaged.has(index)) return 'other';
      if (leaf.subject_id === first.subjectId) return leaf.subject_seq > last.subjectSeq ? 'later' : 'missing';
      return kind === 'trail' && EVIDENCE.has(leaf.subject_kind) && RECORDED.has(leaf.type) ? 'content' : 'other';
    },
    judgeContent(leaf, proven) {
      const isSame = proven.leaf.id === leaf.id && proven.leaf.payload_digest === leaf.payload_digest;
      const failed = verifyEntry(proven, head.org).some(
        ({ name, outcome }) => name === 'content' && outcome === 'failed',
      );
      if (!isSame || failed) return 'forged';
      if (proven.payload === null) return 'erased';
      const entry = toJournalEntry(proven);
      const isOfTrail = textOf(objectOf(entry.payload)['trail']) === subject.trailName;
      return isOfTrail && isOfFlow(flow, subject.flowName, entry) ? found(entry) : 'other';
    },
  };
}
