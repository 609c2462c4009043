import { CHANGE_REQUEST_DAYS, CHANGE_REQUESTS_PENDING_MAX, isPermission, leastRole } from '@waymark/contract';
import { sql } from 'kysely';
import { type Actor, actingPerson, type Ctx, inTransaction } from '../../platform/ctx.ts';
import { conflict, forbidden, notFound, Problem } from '../../platform/errors.ts';
import type { ControlledOperation, SentInput } from '../../platform/http/change-control.ts';
import type { StoredAnswer } from '../../platform/http/idempotency.ts';
import { emit } from '../../platform/journal/journal.ts';
import { inRolledBackTransaction } from '../../platform/rolled-back.ts';
import { epochSeconds } from '../../platform/time.ts';
import { lockMaker } from '../memberships/maker.service.ts';
import { lockMembers } from '../memberships/membership.service.ts';
import { askerContext, askingPerson, type ChangeRequestRow, isAsker, withAskers } from './asker.ts';
import * as entries from './change-request.entries.ts';
import * as store from './change-request.store.ts';
import { readRequest, storeRequest } from './stored-request.ts';
import { type ChangeSubject, type SubjectState, subjectOf, textOf } from './subject-state.ts';

const DAY_MS = 24 * 3_600_000;
const EXPIRY: Actor = { kind: 'system', id: null, name: 'expiry' };

/** What a change would do, determined by doing it and rolling back. */
export type Examined =
  | { readonly does: 'nothing'; readonly answer: StoredAnswer }
  | {
      readonly does: 'change';
      readonly subject: Pick<ChangeSubject, 'kind' | 'name'>;
      readonly before: string | null;
      readonly after: string | null;
    };

/** Refuses what could not be done. A request that changes nothing needs no approval, and gets the usual response. */
export async function examineChange(ctx: Ctx, operation: ControlledOperation, input: SentInput): Promise<Examined> {
  const subject = subjectOf(operation.contract.id, input);
  const prepared = await operation.prepare(ctx, input);
  return inRolledBackTransaction(ctx, async (ctx) => {
    const before = await subject.state(ctx);
    const answer = await operation.work(ctx, input, prepared);
    if (!(await hasRecorded(ctx))) return { does: 'nothing', answer };
    const after = await subject.state(ctx);
    return {
      does: 'change',
      subject: { kind: subject.kind, name: nameIn(before) ?? nameIn(after) ?? subject.name },
      before: textOf(before),
      after: textOf(after),
    };
  });
}

/** A caller who removes something may know only its id. */
function nameIn(state: SubjectState | null): string | undefined {
  const name = state?.['name'];
  return typeof name === 'string' ? name : undefined;
}

/** A transaction that has not ended wrote only numbers above it, or in gaps above it. */
const FIRST_UNSEQUENCED = sql`(
  select coalesce((select min(from_seq) - 1 from journal_gap), high_water) from sequencer
)`;

/** Every change writes to the journal, and nothing else does. */
async function hasRecorded(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from journal
      where org_id = ${ctx.org} and seq > ${FIRST_UNSEQUENCED} and xmin = pg_current_xact_id_if_assigned()::xid
    ) as has`.execute(ctx.db);
  return rows[0]?.has === true;
}

/** Repeating a pending request returns the existing one. */
export function askForChange(
  ctx: Ctx,
  { contract }: ControlledOperation,
  input: SentInput,
  { subject, before, after }: Extract<Examined, { does: 'change' }>,
): Promise<ChangeRequestRow> {
  const person = askingPerson(ctx);
  const { actor, credential } = ctx;
  if (actor.kind === 'system' || !credential || !isPermission(contract.access)) throw new Error('nobody asks');
  const { text, sha256 } = storeRequest(input);
  const same = { org_id: ctx.org, asked_by: person, operation: contract.id, input_sha256: sha256 };
  const { access } = contract;
  return inTransaction(ctx, async (ctx) => {
    await store.lockRequests(ctx.db, ctx.org);
    const pending = await store.findSamePending(ctx.db, same);
    const [waiting] = await withAskers(ctx.db, pending ? [pending] : []);
    if (waiting && !isOver(ctx, waiting)) return waiting;
    if (waiting) await expire(ctx, waiting, 'time');
    await requireRoom(ctx);
    const id = ctx.newId();
    await store.insertRequest(ctx.db, {
      ...same,
      id,
      input: text,
      subject_kind: subject.kind,
      subject_name: subject.name,
      before_state: before,
      after_state: after,
      least_role: leastRole(access),
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_name: actor.name,
      credential_id: credential.id,
      workload: credential.workload,
      asked_at: ctx.now(),
      expires_at: new Date(ctx.now().getTime() + CHANGE_REQUEST_DAYS * DAY_MS),
      state: 'pending',
    });
    const request = await requireRequest(ctx, id);
    const expires_at = Math.floor(epochSeconds(request.expires_at));
    await emit(ctx, entries.changeRequestCreated, subjectFor(request, 1), { ...payloadOf(request), expires_at });
    return request;
  });
}

async function requireRoom(ctx: Ctx): Promise<void> {
  if ((await store.countPending(ctx.db, ctx.org)) < CHANGE_REQUESTS_PENDING_MAX) return;
  throw conflict(
    `This org already has ${CHANGE_REQUESTS_PENDING_MAX} pending change requests, which is the maximum: have some ` +
      'approved, refused, or withdrawn',
  );
}

/** A request with its prepared input, which must be made outside the transaction. */
export interface PreparedRequest {
  readonly operation: ControlledOperation;
  readonly input: SentInput;
  readonly prepared: unknown;
}

/** Undefined for a request that can no longer be carried out: approving it reports why. */
export async function prepareApproval(
  ctx: Ctx,
  operations: ReadonlyMap<string, ControlledOperation>,
  id: string,
): Promise<PreparedRequest | undefined> {
  const request = await requireRequest(ctx, id);
  const operation = operations.get(request.operation);
  const asker = await askerContext(ctx, request);
  if (!operation || !asker || request.state !== 'pending' || isAsker(ctx, request)) return undefined;
  return orNoLonger(async () => {
    const input = readRequest(operation.contract, id, request.input);
    return { operation, input, prepared: await operation.prepare(asker, input) };
  });
}

/** Makes the change on behalf of its asker, and records the approval. */
export function approveChange(ctx: Ctx, id: string, prepared: PreparedRequest | undefined): Promise<ChangeRequestRow> {
  return inTransaction(ctx, async (outer) => {
    const ctx = await lockMaker(outer, 'approve_changes');
    await store.lockRequests(ctx.db, ctx.org);
    const request = await requireRequest(ctx, id);
    if (isEndedAlready(ctx, request, 'approved')) return request;
    requireOther(ctx, request);
    const asker = await askerContext(ctx, request);
    if (!asker) throw conflict(`'${request.asked_by_login}' can no longer make this change, so it cannot be approved`);
    if (!prepared) throw conflict('This change can no longer be made. Request it again');
    const ended = await end(ctx, request, { state: 'approved', reason: null });
    await emit(ctx, entries.changeRequestApproved, subjectFor(request, 2), payloadOf(request));
    await carryOut(asker, request, prepared);
    return ended;
  });
}

/** Exactly what the approver saw happens, or nothing does. */
async function carryOut(
  ctx: Ctx,
  request: ChangeRequestRow,
  { operation, input, prepared }: PreparedRequest,
): Promise<void> {
  const subject = subjectOf(request.operation, input);
  if (textOf(await subject.state(ctx)) !== request.before_state) throw outdated(request);
  await orNoLonger(() => operation.work(ctx, input, prepared));
  if (textOf(await subject.state(ctx)) !== request.after_state) throw outdated(request);
}

function outdated({ subject_name }: ChangeRequestRow): Problem {
  return conflict(`'${subject_name}' has changed since this change was requested. Request it again`);
}

/** The approver is not at fault for what the operation refuses now. */
async function orNoLonger<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRefusal = error instanceof Problem && !['unavailable', 'rate_limited'].includes(error.code);
    if (isRefusal) throw conflict(`This change can no longer be made: ${error.message}`);
    throw error;
  }
}

export function refuseChange(ctx: Ctx, id: string, reason: string): Promise<ChangeRequestRow> {
  return inTransaction(ctx, async (outer) => {
    const ctx = await lockMaker(outer, 'approve_changes');
    await store.lockRequests(ctx.db, ctx.org);
    const request = await requireRequest(ctx, id);
    if (isEndedAlready(ctx, request, 'refused')) return request;
    requireOther(ctx, request);
    const ended = await end(ctx, request, { state: 'refused', reason });
    await emit(ctx, entries.changeRequestRefused, subjectFor(request, 2), { ...payloadOf(request), reason });
    return ended;
  });
}

export function withdrawChange(ctx: Ctx, id: string): Promise<ChangeRequestRow> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockRequests(ctx.db, ctx.org);
    const request = await requireRequest(ctx, id);
    if (!isAsker(ctx, request))
      throw forbidden(`Only '${request.asked_by_login}', who requested this change, can withdraw it`);
    if (isEndedAlready(ctx, request, 'withdrawn')) return request;
    const ended = await end(ctx, request, { state: 'withdrawn', reason: null });
    await emit(ctx, entries.changeRequestWithdrawn, subjectFor(request, 2), payloadOf(request));
    return ended;
  });
}

/** Ends a request that has expired, or whose asker could no longer ask for it. */
export function expireDue(ctx: Ctx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await lockMembers(ctx);
    await store.lockRequests(ctx.db, ctx.org);
    const request = await requireRequest(ctx, id);
    if (request.state !== 'pending') return;
    if (isOver(ctx, request)) await expire(ctx, request, 'time');
    else if (!(await askerContext(ctx, request))) await expire(ctx, request, 'asker');
  });
}

const EXPIRED_BECAUSE = { time: null, asker: 'The requester left the org, or lost the role for this change' } as const;

async function expire(outer: Ctx, request: ChangeRequestRow, because: 'time' | 'asker'): Promise<void> {
  const ctx = { ...outer, actor: EXPIRY };
  await end(ctx, request, { state: 'expired', reason: EXPIRED_BECAUSE[because] });
  await emit(ctx, entries.changeRequestExpired, subjectFor(request, 2), { ...payloadOf(request), because });
}

async function end(
  ctx: Ctx,
  request: ChangeRequestRow,
  ending: Pick<ChangeRequestRow, 'state' | 'reason'>,
): Promise<ChangeRequestRow> {
  const { actor } = ctx;
  const by =
    actor.kind === 'system' ? { ended_by: null, ended_by_id: null } : { ended_by: actor.name, ended_by_id: actor.id };
  // It may be large, and is never carried out again.
  const values = { ...ending, ...by, ended_at: ctx.now(), input: '' as const };
  await store.updateRequest(ctx.db, request, values);
  return { ...request, ...values };
}

export async function requireRequest(ctx: Ctx, id: string): Promise<ChangeRequestRow> {
  const stored = await store.findRequest(ctx.db, ctx.org, id);
  const [request] = await withAskers(ctx.db, stored ? [stored] : []);
  if (!request) throw notFound('Change request', id);
  return request;
}

export function isOver(ctx: Ctx, { expires_at }: Pick<ChangeRequestRow, 'expires_at'>): boolean {
  return expires_at <= ctx.now();
}

/** True for a repeat of what ended it. Refuses every other late decision. */
function isEndedAlready(ctx: Ctx, request: ChangeRequestRow, state: ChangeRequestRow['state']): boolean {
  if (request.state === state && request.ended_by_id === ctx.actor.id) return true;
  if (request.state === 'expired' || (request.state === 'pending' && isOver(ctx, request))) {
    throw conflict('This change request has expired. Request the change again');
  }
  if (request.state !== 'pending')
    throw conflict(`This change request was already ${request.state} by '${request.ended_by}'`);
  return false;
}

function requireOther(ctx: Ctx, request: ChangeRequestRow): void {
  if (ctx.actor.kind !== 'user') throw forbidden('Only people can approve or refuse changes, not service accounts');
  actingPerson(ctx);
  if (isAsker(ctx, request)) {
    throw forbidden('You requested this change: another admin must approve or refuse it. You can withdraw it');
  }
}

function subjectFor({ id }: ChangeRequestRow, seq: number) {
  return { kind: 'change_request', id, seq };
}

function payloadOf(request: ChangeRequestRow) {
  return {
    operation: request.operation,
    subject: { kind: request.subject_kind, name: request.subject_name },
    asked_by: request.asked_by_login,
    request_sha256: request.input_sha256,
  };
}
