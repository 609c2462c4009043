import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Cosigned,
  formatNote,
  isQuorum,
  type SignedCheckpoint,
  type TrustPolicy,
  verifyCheckpoint,
} from '@waymark/transparency';
import type { Session } from '../run/session.ts';
import { LedgerFault } from './ledger-fault.ts';
import type { RemoteLog } from './remote-log.ts';

/** How often a checkpoint is requested again while cosignatures are missing. */
const POLL_MS = 1_000;

export interface VerifiedCheckpoint {
  readonly signed: SignedCheckpoint;
  readonly cosigned: readonly Cosigned[];
  /** As it is stored: the text with all of its signatures. */
  readonly note: string;
}

/**
 * Returns the newest checkpoint of a log, signed by a key of the policy and cosigned by its quorum. Witnesses cosign
 * after the log has signed, so it waits for them as long as the caller says.
 */
export async function newestCheckpoint(
  { io }: Pick<Session, 'io'>,
  log: RemoteLog,
  policy: TrustPolicy,
  patienceMs: number,
): Promise<VerifiedCheckpoint> {
  const until = io.now().getTime() + patienceMs;
  for (;;) {
    const signed = await log.checkpoint();
    const note = formatNote(signed.note);
    const verdict = await verifyCheckpoint(signed, { ...policy, quorum: 'none' });
    if (!verdict.ok) throw notSigned(log, verdict.problem, note);
    const names = verdict.cosigned.map(({ witness }) => witness);
    if (isQuorum(policy, new Set(names))) return { signed, cosigned: verdict.cosigned, note };
    if (io.now().getTime() >= until) throw withoutQuorum(log, policy, names, note);
    await sleep(POLL_MS, undefined, { signal: io.signal });
  }
}

function notSigned({ title }: RemoteLog, problem: string, note: string): LedgerFault {
  return new LedgerFault(`The newest checkpoint of the ${title} is not signed as the trust policy requires`, {
    why: sentence(problem),
    fix: 'Check the policy; if the log has a new key, get it over a channel that you trust, and not from the service',
    note,
  });
}

function withoutQuorum({ title }: RemoteLog, { quorum }: TrustPolicy, names: string[], note: string): LedgerFault {
  return new LedgerFault(`The newest checkpoint of the ${title} lacks the cosignatures of its witnesses`, {
    why: `The trust policy requires '${quorum}', and ${names.join(', ') || 'none of its witnesses'} cosigned`,
    fix: 'Try again; if it happens again, ask the witnesses whether they are down or refuse to cosign, and why',
    note,
  });
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
