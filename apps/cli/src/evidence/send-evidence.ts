import type { CallInput, Client } from '@waymark/client';
import type { Contract } from '@waymark/contract';
import { CliError } from '../run/cli-error.ts';
import type { Ending } from '../run/exit-codes.ts';
import type { Session } from '../run/session.ts';
import { oneLine } from '../run/table.ts';
import { requireReceipt } from '../spool/receipt.ts';
import { sendOrSpool } from '../spool/send-or-spool.ts';
import { sendWhenNeeded } from '../spool/send-when-needed.ts';
import type { Spool } from '../spool/spool.ts';
import { SpoolError } from '../spool/spool-error.ts';
import type { ToSpool } from '../spool/spooled.ts';
import { isUnavailable } from '../spool/unavailable.ts';
import { lenientSpool, tellLost } from './lenient-spool.ts';

export type Sent =
  | { readonly kind: 'recorded'; readonly status: number; readonly body: string; readonly headers: Headers }
  | { readonly kind: 'spooled'; readonly id: string }
  | { readonly kind: 'ignored' };

export interface Evidence {
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  readonly file?: { readonly name: string; readonly content: Uint8Array };
  /** A report of the current state, which a later one replaces. */
  readonly latestOnly?: true;
}

/** The time that a finished command may spend on entries of other trails. */
const CATCHING_UP_MS = 20_000;

/**
 * Sends evidence that must not get lost. When the service is unavailable it is spooled, refused or skipped, as
 * --on-unavailable says. `line` names what stays in order: org, flow and trail, or org and environment. A dry run
 * spools nothing.
 */
export async function sendEvidence<C extends Contract>(
  session: Session,
  contract: C,
  evidence: Evidence,
  line: readonly string[],
): Promise<Sent> {
  const client = session.client();
  if (session.settings.dryRun) return recorded(await exchange(session, contract, evidence));
  const isSpooling = session.settings.onUnavailable === 'spool';
  const request = requestOf(session, contract, evidence, line);
  const spool = lenientSpool(session);
  let failure: unknown;
  try {
    const sent = await sendOrSpool(isSpooling ? spool : keepingNothing(spool, () => failure), {
      request,
      attempt: async (headers) => {
        try {
          return await exchange(session, contract, evidence, contract.headers ? headers : undefined);
        } catch (error) {
          failure = error;
          throw error;
        }
      },
      send: sendWhenNeeded(client, session.io.signal),
      push: { signal: session.io.signal },
      onPushed: (result) => tellLost(session, result),
    });
    if (sent.kind === 'spooled') return spooled(session, sent.entry.id, sent.reason);
    await catchUp(session, spool, client);
    return recorded(sent.answer);
  } catch (error) {
    throwIfInterrupted(session, error);
    if (session.settings.onUnavailable === 'ignore' && (isUnavailable(error) || error instanceof WaitsBehind)) {
      session.warn(`Not sent, because of --on-unavailable=ignore: ${messageOf(error)}`);
      return { kind: 'ignored' };
    }
    throw explained(error, failure);
  }
}

/** Undelivered evidence has an exit code of its own only with --strict. */
export function endingOf(session: Session, sents: readonly Sent[]): Ending {
  if (!session.settings.strict) return 'done';
  if (sents.some(({ kind }) => kind === 'ignored')) return 'unavailable';
  return sents.some(({ kind }) => kind === 'spooled') ? 'spooled' : 'done';
}

/** The summary of an interrupted command lists what was sent; a failure to spool is reported here. */
function throwIfInterrupted({ io, warn }: Session, error: unknown): void {
  if (io.signal.aborted && error instanceof SpoolError) warn(`${error.message}: ${error.why}`);
  io.signal.throwIfAborted();
}

/** The entries before it cannot be sent. The message explains why. */
class WaitsBehind extends Error {}

/** For --on-unavailable=fail: spooled entries still go first, to keep the order. */
function keepingNothing(spool: Spool, failure: () => unknown): Spool {
  let reason = 'earlier entries are still waiting';
  return {
    ...spool,
    push: async (send, options) => {
      const pushed = await spool.push(send, options);
      reason = pushed.busy ? 'another process is sending earlier entries' : (pushed.reasons[0] ?? reason);
      return pushed;
    },
    append: () => Promise.reject(failure() ?? new WaitsBehind(reason)),
  };
}

function explained(error: unknown, failure: unknown): unknown {
  if (error instanceof WaitsBehind) {
    return new CliError('unavailable', `Not sent: ${messageOf(error)}`, {
      why: 'Spooled entries of the same trail must be sent first, and that failed',
      fix: "See the entries with 'waymark spool status', and send them with 'waymark spool push'",
    });
  }
  if (!(error instanceof SpoolError)) return error;
  const why = failure ? `${messageOf(failure)}. ${error.why}` : error.why;
  return new CliError(failure ? 'unavailable' : 'usage', error.message, { why, fix: error.fix, cause: error });
}

function requestOf(session: Session, contract: Contract, evidence: Evidence, line: readonly string[]): ToSpool {
  const host = session.need('host');
  const { params, query, body, file, latestOnly } = evidence;
  return {
    operation: contract.id,
    params,
    ...(query && { query }),
    body,
    ...(file && { file }),
    claimedAt: session.io.now(),
    line: [host, ...line].join('/'),
    host,
    org: session.need('org'),
    ...(latestOnly && { latestOnly }),
  };
}

interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

async function exchange(
  session: Session,
  contract: Contract,
  { params, query, body, file }: Evidence,
  headers?: Readonly<Record<string, string>>,
): Promise<Answered> {
  const input = {
    params,
    body,
    ...(query && { query }),
    ...(headers && { headers }),
    ...(file && { file: { name: file.name, content: new Blob([file.content as Uint8Array<ArrayBuffer>]) } }),
    dryRun: session.settings.dryRun === true,
    signal: session.io.signal,
  };
  const answer = await session.client().exchange(contract, input as unknown as CallInput<Contract>);
  requireReceipt(contract, answer);
  return answer;
}

function recorded({ status, body, headers }: Answered): Sent {
  return { kind: 'recorded', status, body: typeof body === 'string' ? body : JSON.stringify(body), headers };
}

function spooled(session: Session, id: string, reason: string): Sent {
  session.warn(`Spooled, not delivered yet: ${oneLine(reason)}`);
  session.say(`  The next command for ${session.need('host')} sends it, or 'waymark spool push'`);
  session.io.signal.throwIfAborted();
  return { kind: 'spooled', id };
}

const caughtUp = new WeakSet<Session>();

/**
 * The service is available again, so entries of other trails are sent too. Their outcome does not affect this command.
 */
async function catchUp(session: Session, spool: Spool, client: Client): Promise<void> {
  if (caughtUp.has(session)) return;
  caughtUp.add(session);
  const host = session.need('host');
  const org = session.need('org');
  try {
    const pushed = await spool.push(sendWhenNeeded(client, session.io.signal), {
      only: (entry) => entry.host === host && entry.org === org,
      signal: AbortSignal.any([session.io.signal, AbortSignal.timeout(CATCHING_UP_MS)]),
    });
    const { recorded, waiting } = pushed;
    if (recorded > 0) session.say(`Sent from the spool: ${recorded}${waiting > 0 ? `; ${waiting} waiting` : ''}`);
    tellLost(session, pushed);
  } catch (error) {
    session.detail(`The spool was not pushed: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error));
}
