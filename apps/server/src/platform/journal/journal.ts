import { sql } from 'kysely';
import type { z } from 'zod';
import type { Ctx } from '../ctx.ts';
import { type EntryType, seal } from './entry.ts';

export interface Subject {
  readonly kind: string;
  readonly id: string;
  /** The subject's own counter after this change. */
  readonly seq: number;
}

/** Appends one entry, in the transaction of the change that it records. */
export async function emit<Payload extends z.ZodType>(
  ctx: Ctx,
  type: EntryType<Payload>,
  subject: Subject,
  payload: z.input<Payload>,
): Promise<void> {
  if (!ctx.db.isTransaction) throw new Error(`${type.type} must be recorded in the transaction of its change`);
  const sealed = seal(type, payload);
  await ctx.db
    .insertInto('journal')
    .values({
      ...attribution(ctx),
      id: ctx.newId(),
      type: type.type,
      version: type.version,
      subject_kind: subject.kind,
      subject_id: subject.id,
      subject_seq: subject.seq,
      payload: sealed.payload,
      nonce: sealed.nonce,
      payload_digest: sealed.digest,
    })
    .execute();
}

/** The same for many subjects of one kind, in one statement. */
export async function emitAll<Payload extends z.ZodType>(
  ctx: Ctx,
  type: EntryType<Payload>,
  kind: string,
  entries: readonly { readonly id: string; readonly seq: number; readonly payload: z.input<Payload> }[],
): Promise<void> {
  if (!ctx.db.isTransaction) throw new Error(`${type.type} must be recorded in the transaction of its change`);
  if (entries.length === 0) return;
  const sealed = entries.map(({ payload }) => seal(type, payload));
  const by = attribution(ctx);
  await sql`
    insert into journal (org_id, recorded_at, actor_kind, actor_id, actor_name, id, type, version,
      subject_kind, subject_id, subject_seq, payload, nonce, payload_digest)
    select ${by.org_id}, ${by.recorded_at}, ${by.actor_kind}, ${by.actor_id}, ${by.actor_name}, id, ${type.type},
      ${type.version}, ${kind}, subject_id, subject_seq, payload, nonce, digest
    from unnest(${entries.map(() => ctx.newId())}::uuid[], ${entries.map(({ id }) => id)}::uuid[],
      ${entries.map(({ seq }) => seq)}::bigint[], ${sealed.map(({ payload }) => payload)}::text[],
      ${sealed.map(({ nonce }) => nonce)}::bytea[], ${sealed.map(({ digest }) => digest)}::bytea[]
    ) as entry (id, subject_id, subject_seq, payload, nonce, digest)`.execute(ctx.db);
}

/** Who, where and when: the same for every entry of one request. */
export function attribution(ctx: Ctx) {
  return {
    org_id: ctx.org,
    recorded_at: ctx.now(),
    actor_kind: ctx.actor.kind,
    actor_id: ctx.actor.id,
    actor_name: ctx.actor.name,
  };
}

/**
 * The same insert as part of a larger statement, for hot paths that change and record in one round trip. Its source is
 * a relation with the columns `subject_id` and `subject_seq`; without a row there is no entry. The statement takes
 * `attribution`'s parameters besides the expressions given here, and `entry_id` unless another expression gives the
 * ids.
 */
export function appendEntryFrom(
  source: string,
  entry: {
    subjectKind: string;
    type: string;
    /** A parameter that holds the version of the declared entry, never a literal. */
    version: string;
    payload: string;
    nonce: string;
    digest: string;
    id?: string;
  },
): string {
  return `
    insert into journal (org_id, recorded_at, actor_kind, actor_id, actor_name, id, type, version,
      subject_kind, subject_id, subject_seq, payload, nonce, payload_digest)
    select :org_id, :recorded_at, :actor_kind, :actor_id, :actor_name, ${entry.id ?? ':entry_id'}, ${entry.type}, ${entry.version},
      '${entry.subjectKind}', subject_id, subject_seq, ${entry.payload}, ${entry.nonce}, ${entry.digest}
    from ${source}`;
}
