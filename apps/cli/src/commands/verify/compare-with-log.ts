import type { Completeness, PackageVerdict } from '@waymark/audit-verifier';
import { getLedgerProof } from '@waymark/contract';
import { EMPTY_EDGE, type EntryLeaf, parseLeaf, parseLedgerProof, rootOfEdge, sameHash } from '@waymark/transparency';
import { LedgerFault } from '../../ledger/ledger-fault.ts';
import { orgLog } from '../../ledger/remote-log.ts';
import { append, hashOfLeaf, leafData } from '../../ledger/tree-reads.ts';
import { CliError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';

/** The comparison of a package with the log that proves it. */
export interface Compared {
  readonly leaves: number;
  /** Ids of entries about the subject that the package lacks. */
  readonly missing: readonly string[];
  /** Entries about the subject that were recorded after the export. */
  readonly later: number;
  readonly erased: number;
}

/** Requests at a time. */
const CONCURRENCY = 8;

export function isWhole(compared: Compared | undefined): boolean {
  return compared === undefined || compared.missing.length === 0;
}

type Verdict = ReturnType<Completeness['judge' | 'judgeContent']>;

/**
 * Downloads every leaf of the log as it was when the package was exported, checks that they have the root in the package,
 * and finds those about the subject that are not in it. A leaf has only the digest of its content, so the content of
 * evidence about other trails is requested too: it shows that it is about other trails.
 */
export async function compareWithLog(session: Session, { completeness }: PackageVerdict): Promise<Compared> {
  if (!completeness) return { leaves: 0, missing: [], later: 0, erased: 0 };
  const org = session.need('org');
  const found: { id: string; verdict: Verdict }[] = [];
  let edge = EMPTY_EDGE;
  let index = 0;
  for await (const data of leafData(orgLog(session, org), 0, completeness.size)) {
    edge = append(edge, data.map(hashOfLeaf)).edge;
    const judged = judgedLeaves(completeness, data, index);
    found.push(
      ...judged.filter(({ verdict }) => verdict !== 'content').map(({ leaf, verdict }) => ({ id: leaf.id, verdict })),
    );
    const unknown = judged.filter(({ verdict }) => verdict === 'content').map(({ leaf }) => leaf);
    for (let at = 0; at < unknown.length; at += CONCURRENCY)
      found.push(
        ...(await Promise.all(
          unknown.slice(at, at + CONCURRENCY).map((leaf) => judgeContent(session, completeness, leaf)),
        )),
      );
    index += data.length;
  }
  if (!sameHash(rootOfEdge(edge), completeness.root)) throw otherLog();
  const of = (wanted: Verdict) => found.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  return { leaves: index, missing: of('missing'), later: of('later').length, erased: of('erased').length };
}

/** Without those that are about something else. */
function judgedLeaves(completeness: Completeness, data: readonly Uint8Array[], first: number) {
  return data
    .map((bytes, i) => {
      const leaf = parseLeaf(bytes);
      const verdict = first + i < completeness.from ? ('other' as const) : completeness.judge(leaf, first + i);
      return { leaf, verdict };
    })
    .filter(({ verdict }) => verdict !== 'other');
}

async function judgeContent(session: Session, completeness: Completeness, leaf: EntryLeaf) {
  const { signal } = session.io;
  const params = { org: session.need('org') };
  const answer = await session.client().download(getLedgerProof, { params, query: { entry: leaf.id }, signal });
  const { entry } = parseLedgerProof(new Uint8Array(await answer.arrayBuffer()));
  const verdict = completeness.judgeContent(leaf, entry);
  if (verdict === 'forged') throw forged(leaf.id);
  return { id: leaf.id, verdict };
}

function otherLog(): LedgerFault {
  return new LedgerFault('The service has another log than the one that proves the package', {
    why: 'The leaves that it serves do not build the head in the package',
    fix: "Check that the host and the org are those of the package; if they are, keep it, and run 'waymark ledger watch'",
  });
}

function forged(id: string): CliError {
  return new CliError('nonCompliant', `The service sent entry ${id} with content that is not in its leaf`, {
    fix: 'Keep the package, and ask the operator of the service',
  });
}
