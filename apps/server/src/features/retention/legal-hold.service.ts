import { type HeldSubject, LEGAL_HOLDS_MAX } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { conflict, invalidField, notFound } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { findEnvironmentByName } from '../environments/environment.reads.ts';
import { findTrailByName } from '../trails/trail.reads.ts';
import { type NamedHold, nameHolds } from './legal-hold.reads.ts';
import * as store from './legal-hold.store.ts';
import { legalHoldLifted, legalHoldPlaced } from './retention.entries.ts';
import { lockKeeping } from './retention.store.ts';

export interface NewHold {
  readonly name: string;
  readonly reason: string;
  readonly subject: HeldSubject;
}

type Held = Pick<store.LegalHoldRow, 'subject_kind' | 'subject_id' | 'fingerprint'>;

/** Places a legal hold. A repeat returns the one in place; another hold of that name is refused. */
export async function placeHold(ctx: Ctx, { name, reason, subject }: NewHold): Promise<NamedHold> {
  const held = await findSubject(ctx, subject);
  return inTransaction(ctx, async (ctx) => {
    await lockKeeping(ctx.db, ctx.org);
    const inPlace = await store.findInPlace(ctx.db, ctx.org, name);
    if (inPlace && inPlace.reason === reason && isAbout(inPlace, held)) return withName(ctx, inPlace);
    if (inPlace) throw conflict(`A legal hold named '${name}' is already in place. Choose another name`);
    if ((await store.countInPlace(ctx.db, ctx.org)) >= LEGAL_HOLDS_MAX)
      throw conflict(`This org has ${LEGAL_HOLDS_MAX} legal holds in place, the maximum. Place one on the whole org`);
    const hold = await store.insertHold(ctx.db, {
      org_id: ctx.org,
      id: ctx.newId(),
      name,
      reason,
      ...held,
      placed_at: ctx.now(),
      placed_by: ctx.actor.name,
    });
    const named = await withName(ctx, hold);
    await emit(ctx, legalHoldPlaced, { kind: 'legal_hold', id: hold.id, seq: 1 }, payloadOf(named));
    return named;
  });
}

/** Lifting a lifted hold again changes nothing. */
export function liftHold(ctx: Ctx, id: string, reason: string): Promise<NamedHold> {
  return inTransaction(ctx, async (ctx) => {
    await lockKeeping(ctx.db, ctx.org);
    const lift = { lifted_at: ctx.now(), lifted_by: ctx.actor.name, lift_reason: reason };
    const lifted = await store.updateToLifted(ctx.db, ctx.org, id, lift);
    const hold = lifted ?? (await store.findHold(ctx.db, ctx.org, id));
    if (!hold) throw notFound('Legal hold', id);
    const named = await withName(ctx, hold);
    if (lifted) {
      const payload = { ...payloadOf(named), lift_reason: reason };
      await emit(ctx, legalHoldLifted, { kind: 'legal_hold', id, seq: 2 }, payload);
    }
    return named;
  });
}

async function findSubject(ctx: Ctx, subject: HeldSubject): Promise<Held> {
  const nothing = { subject_kind: subject.kind, subject_id: null, fingerprint: null };
  if (subject.kind === 'artifact') return { ...nothing, fingerprint: subject.artifact_fingerprint };
  if (subject.kind === 'trail') {
    const { trail } = await findTrailByName(ctx, subject.flow_name, subject.trail_name);
    return { ...nothing, subject_id: trail.id };
  }
  if (subject.kind === 'org') return nothing;
  const environment = await findEnvironmentByName(ctx, subject.env_name);
  if (environment.type === 'logical')
    throw invalidField('subject.env_name', 'is logical: place the hold on its members');
  return { ...nothing, subject_id: environment.id };
}

function isAbout(hold: store.LegalHoldRow, held: Held): boolean {
  return (
    hold.subject_kind === held.subject_kind &&
    hold.subject_id === held.subject_id &&
    hold.fingerprint === held.fingerprint
  );
}

async function withName(ctx: Ctx, hold: store.LegalHoldRow): Promise<NamedHold> {
  const [named] = await nameHolds(ctx, [hold]);
  if (!named) throw new Error('a legal hold has no subject');
  return named;
}

function payloadOf({ hold, environment, flow, trail }: NamedHold) {
  const id = hold.subject_id ?? '';
  return {
    name: hold.name,
    reason: hold.reason,
    kind: hold.subject_kind,
    ...(environment !== null && { environment: { id, name: environment } }),
    ...(flow !== null && trail !== null && { trail: { id, flow, name: trail } }),
    ...(hold.fingerprint !== null && { fingerprint: hold.fingerprint }),
  };
}
