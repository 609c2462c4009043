import { getLedger } from '@waymark/contract';
import type { SignedCheckpoint, TreeHead, TrustPolicy } from '@waymark/transparency';
import type { Session } from '../run/session.ts';
import { conflictFile } from './breaks.ts';
import { LedgerFault } from './ledger-fault.ts';
import { newestCheckpoint } from './newest-checkpoint.ts';
import { headOutsideOfTree } from './org-heads.ts';
import { orgLog } from './remote-log.ts';
import { requireSigned } from './require-signed.ts';
import type { Stored } from './stored-checkpoint.ts';
import { policyOfOrgLog } from './trust-policy.ts';

type OrgHead = NonNullable<Stored['org']>;

interface Place {
  readonly policy: TrustPolicy;
  readonly file: string;
}

/** Returns the signed head of the log of an org, with the ID of the log. */
async function newestHead(session: Session, { policy }: Place, org: string) {
  const status = await session.client().call(getLedger, { params: { org }, signal: session.io.signal });
  const log = orgLog(session, org);
  const { signed, note } = await newestCheckpoint(
    session,
    log,
    policyOfOrgLog(policy, requireSigned(status.origin)),
    0,
  );
  return { log, id: requireSigned(status.log_id), size: status.size, signed, note };
}

export async function beginOrg(session: Session, place: Place, org: string): Promise<OrgHead> {
  const { id, signed } = await newestHead(session, place, org);
  return storedHead(id, signed.checkpoint);
}

interface KnownOrg {
  readonly org: string;
  readonly known: OrgHead;
  /** Those that the region log announced since. */
  readonly heads: readonly TreeHead[];
}

/** Verifies that all heads of an org's log, as signed, announced, and stored, are of one tree that only grew. */
export async function checkOrg(session: Session, place: Place, { org, known, heads }: KnownOrg): Promise<OrgHead> {
  const { log, id, size, signed, note } = await newestHead(session, place, org);
  if (id !== known.log) throw anotherLog(org, known, id, place);
  const before = { size: known.size, root: Buffer.from(known.root, 'hex') };
  if (size < before.size) throw smallerOrg(org, before.size, size, place, note);
  const wrong = await headOutsideOfTree(log, [before, ...heads, signed.checkpoint]);
  if (wrong) throw forkedOrg({ org, wrong, before, signed, place, note });
  const newest = [...heads, signed.checkpoint].reduce((one, other) => (other.size > one.size ? other : one), before);
  return storedHead(id, newest);
}

function storedHead(log: string, { size, root }: TreeHead): OrgHead {
  return { log, size, root: Buffer.from(root).toString('hex') };
}

const keep = ({ file }: Place) =>
  `Keep ${file} and ${conflictFile(file)}, and ask the operator of the service what happened`;

function anotherLog(org: string, { log }: OrgHead, id: string, place: Place): LedgerFault {
  return new LedgerFault(`The service shows another log for ${org} than the one that you watched`, {
    why: `It is ${id}, and you watched ${log}; an org never changes its log`,
    fix: `Check the org and the address of the service. Keep ${place.file}, and ask the operator of the service`,
  });
}

function smallerOrg(org: string, known: number, size: number, place: Place, note: string): LedgerFault {
  return new LedgerFault(`The log of ${org} got smaller`, {
    why: `It has ${size} entries, and ${known} when you last checked; a log only grows`,
    fix: keep(place),
    note,
  });
}

interface Wrong {
  readonly org: string;
  readonly wrong: TreeHead;
  readonly before: TreeHead;
  readonly signed: SignedCheckpoint;
  readonly place: Place;
  readonly note: string;
}

function forkedOrg({ org, wrong, before, signed, place, note }: Wrong): LedgerFault {
  const what =
    wrong === before
      ? 'the head that you stored'
      : wrong === signed.checkpoint
        ? 'the newest checkpoint'
        : 'a head that the region log announced';
  return new LedgerFault(`FORK: the log of ${org} was rewritten`, {
    why: `The entries that the service shows do not build ${what}, of ${wrong.size} entries`,
    fix: keep(place),
    note,
  });
}
