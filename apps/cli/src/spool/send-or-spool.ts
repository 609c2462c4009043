import { randomUUID } from 'node:crypto';
import type { PushOptions, PushResult } from './push.ts';
import { evidenceHeaders } from './repeatable.ts';
import type { Spool } from './spool.ts';
import type { Send, Spooled, ToSpool } from './spooled.ts';
import { isUnavailable } from './unavailable.ts';

export type SentOrSpooled<Answer> =
  | { readonly kind: 'sent'; readonly answer: Answer }
  | { readonly kind: 'spooled'; readonly entry: Spooled; readonly reason: string };

export interface Sending<Answer> {
  readonly request: ToSpool;
  /** Sends it now, with these headers where the operation takes them: a later push repeats them. */
  readonly attempt: (headers: ReturnType<typeof evidenceHeaders>) => Promise<Answer>;
  /** For the entries before it. */
  readonly send: Send;
  readonly push?: PushOptions;
  /** Receives the outcome of the entries before it, whatever the outcome of the request itself. */
  readonly onPushed: (result: PushResult) => void;
}

/** Other processes may be sending other lines, which is quick when the server is available. */
const PATIENCE_MS = 2_000;

/**
 * Sends a request, or spools it when the server is unavailable. Entries of its line go first; while those cannot be
 * sent, the request waits behind them. It is also spooled when the push is aborted: it may have arrived, and its
 * evidence id makes the repeat harmless. A refusal is thrown, of the request or of the credential.
 */
export async function sendOrSpool<Answer>(spool: Spool, sending: Sending<Answer>): Promise<SentOrSpooled<Answer>> {
  const { line, latestOnly, claimedAt } = sending.request;
  const id = sending.request.id ?? randomUUID();
  const spoolIt = async (reason: string) => {
    const entry = await spool.append({ ...sending.request, id });
    return { kind: 'spooled', entry, reason } as const;
  };
  const obstacle = latestOnly ? undefined : await pushBefore(spool, sending);
  if (obstacle !== undefined) return spoolIt(obstacle);
  let answer: Answer;
  try {
    answer = await sending.attempt(evidenceHeaders({ id, claimedAt: claimedAt.toISOString() }));
  } catch (error) {
    if (isUnavailable(error) && error instanceof Error) return spoolIt(error.message);
    if (sending.push?.signal?.aborted) return spoolIt('interrupted before the response arrived');
    throw error;
  }
  if (latestOnly) await spool.supersede(line, claimedAt);
  return { kind: 'sent', answer };
}

/** Sends the entries of the line. Returns why some still wait. */
async function pushBefore<Answer>(
  spool: Spool,
  { request: { line }, send, push, onPushed }: Sending<Answer>,
): Promise<string | undefined> {
  if (!(await spool.waits(line))) return undefined;
  const result = await spool.push(send, { waitMs: PATIENCE_MS, ...push, line });
  onPushed(result);
  const { waiting, reasons, busy, denied } = result;
  if (denied) throw denied;
  if (waiting === 0) return undefined;
  return busy ? 'another process is sending earlier entries' : (reasons[0] ?? 'earlier entries are still waiting');
}
