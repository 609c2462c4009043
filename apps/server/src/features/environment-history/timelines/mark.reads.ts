import type { TimelineMark } from '@waymark/contract';
import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { readStored, storedRows } from '../../../platform/stored-json.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { damagedMark, markedTypes, markOf, versionMark } from './mark-text.ts';
import type { Span } from './spans.reads.ts';

const MARKS_MAX = 200;
/** Attachments and detachments since the window began: far more than people make. */
const ATTACHMENTS_READ = 2_000;

interface EntryRow {
  readonly id: string;
  readonly type: string;
  readonly recorded_at: Date;
  readonly actor_name: string;
  readonly payload: string;
}

/** Changes by people to an environment and its policies: the newest 200 in the window, oldest first. */
export async function readMarks(ctx: Ctx, environmentId: string, window: Span): Promise<TimelineMark[]> {
  const [entries, versions] = await Promise.all([
    listEntries(ctx, environmentId, markedTypes, window, MARKS_MAX),
    listVersionMarks(ctx, environmentId, window),
  ]);
  const stored = storedRows(ctx.log, 'journal');
  const marks = entries.reverse().flatMap(({ id, type, actor_name: actor, payload: text, recorded_at }) => {
    const payload = stored.read<unknown>(id, text, null);
    const mark = stored.isDamaged(id)
      ? { ...damagedMark(type, actor), ...stored.mark(id) }
      : markOf({ type, actor, payload });
    return mark ? [{ at: epochSeconds(recorded_at), ...mark }] : [];
  });
  return [...marks, ...versions.reverse()].sort((a, b) => a.at - b.at).slice(-MARKS_MAX);
}

/** Newest first. Erased entries are left out. */
async function listEntries(
  ctx: Ctx,
  environmentId: string,
  types: readonly string[],
  { from, until }: Span,
  limit: number,
): Promise<EntryRow[]> {
  // As literals, so that PostgreSQL sees that the index has all of them.
  const wanted = sql.join(types.map((type) => sql.lit(type)));
  const { rows } = await sql<EntryRow>`
    select id, type, recorded_at, actor_name, payload from journal
    where org_id = ${ctx.org} and subject_id = ${environmentId} and type in (${wanted}) and payload is not null
      and recorded_at >= ${new Date(from)} and recorded_at < ${new Date(until)}
    order by recorded_at desc, seq desc limit ${limit}`.execute(ctx.db);
  return rows;
}

interface VersionRow {
  readonly policy_id: string;
  readonly name: string;
  readonly version: number;
  readonly created_at: Date;
  readonly created_by: string;
}

/**
 * New versions of policies that were attached when the version was made. The first version of a policy replaced
 * nothing.
 */
async function listVersionMarks(ctx: Ctx, environmentId: string, window: Span): Promise<TimelineMark[]> {
  const attachments = await readAttachments(ctx, environmentId, window.from);
  const { rows } = await sql<VersionRow>`
    select made.policy_id, policy.name, made.version, made.created_at, made.created_by
    from policy_version as made join policy on policy.org_id = made.org_id and policy.id = made.policy_id
    where made.org_id = ${ctx.org} and made.policy_id = any(${attachments.policyIds}::uuid[]) and made.version > 1
      and made.created_at >= ${new Date(window.from)} and made.created_at < ${new Date(window.until)}
    order by made.created_at desc limit ${MARKS_MAX}`.execute(ctx.db);
  return rows
    .filter((row) => attachments.wasAttached(row.policy_id, row.created_at))
    .map((row) => ({ at: epochSeconds(row.created_at), ...versionMark(row, row.created_by) }));
}

interface Attachments {
  /** Policies that are attached, or were since the requested time. */
  readonly policyIds: readonly string[];
  wasAttached(policyId: string, at: Date): boolean;
}

/**
 * The current attachments and each change since are known: the first change after a moment shows what was attached
 * before it.
 */
async function readAttachments(ctx: Ctx, environmentId: string, since: number): Promise<Attachments> {
  const types = ['policy.attached', 'policy.detached'];
  const ever = { from: since, until: ctx.now().getTime() + 1 };
  const [current, entries] = await Promise.all([
    ctx.db
      .selectFrom('environment_policy')
      .select('policy_id')
      .where('org_id', '=', ctx.org)
      .where('environment_id', '=', environmentId)
      .execute(),
    listEntries(ctx, environmentId, types, ever, ATTACHMENTS_READ),
  ]);
  const attachedNow = new Set(current.map(({ policy_id }) => policy_id));
  const changes = entries.reverse().flatMap(({ type, recorded_at: at, payload }) => {
    const changed = readStored<{ policies: { id: string }[] }>(payload);
    return (changed?.policies ?? []).map(({ id }) => ({ id, at, isAttached: type === 'policy.attached' }));
  });
  return {
    policyIds: [...new Set([...attachedNow, ...changes.map(({ id }) => id)])],
    wasAttached: (policyId, at) => {
      const next = changes.find((change) => change.id === policyId && change.at > at);
      return next ? !next.isAttached : attachedNow.has(policyId);
    },
  };
}
