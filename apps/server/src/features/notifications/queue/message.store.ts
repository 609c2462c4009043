import type { MessageContent, MessageTrigger } from '@waymark/messages';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Draft, PlannedMessage } from './message-line.ts';

/** Messages of one source about one scope have numbers of their own. */
export interface LineKey {
  readonly source_id: string;
  readonly scope_id: string;
}

interface SeenEntry {
  readonly entry_id: string;
  readonly trigger: string;
  readonly sources: readonly string[];
}

/** Entries that all of these sources see for the same trigger. */
export interface SeenGroup {
  readonly trigger: string;
  readonly entries: readonly string[];
  readonly sources: readonly string[];
}

function rowsOf(seen: readonly SeenGroup[]) {
  return sql`
    select entry_id, seen.trigger, seen.sources
    from jsonb_to_recordset(${JSON.stringify(seen)}::jsonb) as seen (trigger text, entries uuid[], sources uuid[])
    cross join unnest(seen.entries) as entry_id`;
}

/**
 * Marks entries as seen, one row for each entry and trigger. Returns those that were marked before, which are left as
 * they are.
 */
export async function insertEntries(
  db: Db,
  org: string,
  seen: readonly SeenGroup[],
  now: Date,
): Promise<Omit<SeenEntry, 'sources'>[]> {
  const { rows } = await sql<Omit<SeenEntry, 'sources'>>`
    with wanted as materialized (${rowsOf(seen)}), noted as (
      insert into message_entry (org_id, entry_id, trigger, sources, created_at)
      select ${org}::uuid, entry_id, trigger, sources, ${now}::timestamptz from wanted
      order by entry_id, trigger
      on conflict do nothing
      returning entry_id, trigger
    )
    select entry_id, trigger from wanted except select entry_id, trigger from noted`.execute(db);
  return rows;
}

/** Reads and locks which sources have seen these entries. */
export async function lockEntries(db: Db, org: string, known: readonly Omit<SeenEntry, 'sources'>[]) {
  const { rows } = await sql<SeenEntry>`
    select seen.entry_id, seen.trigger, seen.sources
    from message_entry as seen
    join unnest(${known.map((row) => row.entry_id)}::uuid[], ${known.map((row) => row.trigger)}::text[])
      as known (entry_id, trigger) on known.entry_id = seen.entry_id and known.trigger = seen.trigger
    where seen.org_id = ${org}
    order by seen.entry_id, seen.trigger
    for update of seen`.execute(db);
  return rows;
}

/** Adds sources to those that have seen the entries before. */
export async function updateEntries(db: Db, org: string, seen: readonly SeenGroup[]): Promise<void> {
  await sql`
    update message_entry as seen
    set sources = seen.sources || array(select unnest(wanted.sources) except select unnest(seen.sources))
    from (${rowsOf(seen)}) as wanted
    where seen.org_id = ${org} and seen.entry_id = wanted.entry_id and seen.trigger = wanted.trigger
      and not wanted.sources <@ seen.sources`.execute(db);
}

export async function hasEntries(db: Db, org: string, entryIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select entry_id from message_entry
    where org_id = ${org} and entry_id = any(${entryIds}::uuid[]) limit 1`.execute(db);
  return rows.length > 0;
}

type Locked = LineKey & { readonly last: number };

/** Always in the same order, so that transactions do not deadlock. A new line begins at 0. */
export async function lockSequences(db: Db, org: string, keys: readonly LineKey[]): Promise<Locked[]> {
  const { rows } = await sql<Locked>`
    insert into message_sequence as sequence (org_id, source_id, scope_id, last)
    select ${org}::uuid, source_id, scope_id, 0 from ${listOf(keys)} order by source_id, scope_id
    on conflict (org_id, source_id, scope_id) do update set last = sequence.last
    returning source_id, scope_id, last`.execute(db);
  return rows;
}

/** Skips those that are locked. */
export async function lockFreeSequences(db: Db, org: string, keys: readonly LineKey[]): Promise<Locked[]> {
  const { rows } = await sql<Locked>`
    select source_id, scope_id, last from message_sequence
    where org_id = ${org} and (source_id, scope_id) in (select source_id, scope_id from ${listOf(keys)})
    for update skip locked`.execute(db);
  return rows;
}

export async function updateSequences(db: Db, org: string, sequences: readonly Locked[]): Promise<void> {
  await sql`
    update message_sequence as sequence set last = moved.last
    from unnest(${sequences.map((row) => row.source_id)}::uuid[], ${sequences.map((row) => row.scope_id)}::uuid[],
      ${sequences.map((row) => row.last)}::bigint[]) as moved (source_id, scope_id, last)
    where sequence.org_id = ${org} and sequence.source_id = moved.source_id
      and sequence.scope_id = moved.scope_id`.execute(db);
}

interface OpenRow extends LineKey {
  readonly id: string;
  readonly config_type: 'api_key_expiry' | null;
  readonly trigger: MessageTrigger;
  readonly count: number;
  readonly content: MessageContent;
  readonly created_at: Date;
  readonly open_until: Date;
  readonly open_rank: number;
}

/** In order. */
export async function listOpen(db: Db, org: string, keys: readonly LineKey[]): Promise<OpenRow[]> {
  const { rows } = await sql<OpenRow>`
    select message.id, message.source_id, message.config_type, message.scope_id, message.trigger, message.count,
      message.content, message.created_at, message.open_until, message.open_rank
    from ${listOf(keys)}
    join message on message.org_id = ${org} and message.source_id = line.source_id
      and message.scope_id = line.scope_id and message.open_until is not null
    order by message.open_rank, message.created_at, message.id`.execute(db);
  return rows;
}

type Paced = LineKey & { readonly trigger: MessageTrigger };

/** When the last message of each was numbered. */
export async function listPaces(
  db: Db,
  org: string,
  paced: readonly Paced[],
): Promise<(Paced & { readonly numbered_at: Date })[]> {
  const { rows } = await sql<Paced & { readonly numbered_at: Date }>`
    select paced.source_id, paced.scope_id, paced.trigger, newest.numbered_at
    from unnest(${paced.map((row) => row.source_id)}::uuid[], ${paced.map((row) => row.scope_id)}::uuid[],
      ${paced.map((row) => row.trigger)}::text[]) as paced (source_id, scope_id, trigger)
    cross join lateral (
      select numbered_at from message
      where org_id = ${org} and source_id = paced.source_id and scope_id = paced.scope_id
        and trigger = paced.trigger and numbered_at is not null
      order by numbered_at desc limit 1
    ) as newest`.execute(db);
  return rows;
}

export interface Due extends LineKey {
  readonly org_id: string;
  readonly id: string;
  readonly open_until: Date;
}

/** Of all orgs, longest waiting first. */
export async function listDue(db: Db, now: Date, limit: number, after: Due | undefined): Promise<Due[]> {
  const others = after ? sql`and (open_until, id) > (${after.open_until}::timestamptz, ${after.id}::uuid)` : sql``;
  const { rows } = await sql<Due>`
    select org_id, source_id, scope_id, id, open_until from message
    where open_until <= ${now} ${others} order by open_until, id limit ${limit}`.execute(db);
  return rows;
}

export async function updateDue(db: Db, org: string, { source_id, scope_id }: LineKey, now: Date, later: Date) {
  await sql`
    update message set open_until = ${later}
    where org_id = ${org} and source_id = ${source_id} and scope_id = ${scope_id} and open_until <= ${now}`.execute(db);
}

/** In order, updates first: each trigger may have only one open message at a time. */
export async function upsertMessages(
  db: Db,
  org: string,
  drafts: readonly Draft[],
  textOf: (content: MessageContent) => string,
  now: Date,
): Promise<void> {
  await sql`
    insert into message (org_id, id, source_id, config_type, scope_id, trigger, sequence, count, content, created_at,
      open_until, open_rank, numbered_at)
    select ${org}::uuid, id, source_id, config_type, scope_id, trigger, sequence, count, content, created_at, open_until,
      open_rank, case when sequence is not null then ${now}::timestamptz end
    from unnest(${drafts.map(({ id }) => id)}::uuid[], ${drafts.map(({ source }) => source.id)}::uuid[],
      ${drafts.map(({ source }) => source.configType)}::text[], ${drafts.map(({ scopeId }) => scopeId)}::uuid[],
      ${drafts.map(({ trigger }) => trigger)}::text[], ${drafts.map(({ sequence }) => sequence)}::bigint[],
      ${drafts.map(({ count }) => count)}::integer[], ${drafts.map(({ content }) => textOf(content))}::jsonb[],
      ${drafts.map(({ createdAt }) => createdAt)}::timestamptz[],
      ${drafts.map(({ openUntil }) => openUntil)}::timestamptz[], ${drafts.map(({ openRank }) => openRank)}::integer[]
    ) with ordinality as draft (id, source_id, config_type, scope_id, trigger, sequence, count, content, created_at,
      open_until, open_rank, place)
    order by place
    on conflict (org_id, id) do update set sequence = excluded.sequence, count = excluded.count,
      content = excluded.content, open_until = excluded.open_until, open_rank = excluded.open_rank,
      numbered_at = excluded.numbered_at`.execute(db);
}

const TEXT_MAX_LENGTH = 4_096;

/** Evidence may contain anything: jsonb accepts neither U+0000 nor lone surrogates. */
export function textOf(content: MessageContent): string {
  return JSON.stringify(content, (_, value: unknown) =>
    typeof value === 'string' ? value.slice(0, TEXT_MAX_LENGTH).toWellFormed().replaceAll('\u0000', '\ufffd') : value,
  );
}

/**
 * Locks the states of targets before their deliveries change, always in the same order. Removing a target waits here,
 * and then finds the deliveries made for it; a later read of targets finds only those that are not removed.
 */
export async function lockStates(db: Db, org: string, sourceIds: readonly string[]): Promise<void> {
  await sql`
    select count(*) from (
      select state.target_id
      from notification_target as target
      join target_state as state on state.org_id = target.org_id and state.target_id = target.id
      where target.org_id = ${org} and target.source_id = any(${sourceIds}::uuid[]) and target.removed_at is null
      order by state.target_id
      for no key update of state
    ) as locked`.execute(db);
}

/** There is one for each type of configuration, created on first use. */
export async function ensureDerived(db: Db, org: string, id: string, source: PlannedMessage['source'], now: Date) {
  await sql`
    insert into notification_target (org_id, id, source_id, config_type, kind, position, derived, created_at)
    values (${org}, ${id}, ${source.id}, ${source.configType}, 'EMAIL', 0, true, ${now})
    on conflict (org_id, config_type) where derived and removed_at is null do nothing`.execute(db);
  await sql`
    insert into target_state (org_id, target_id)
    select org_id, id from notification_target
    where org_id = ${org} and config_type = ${source.configType} and derived and removed_at is null
    on conflict do nothing`.execute(db);
}

/** Like those of `newId`: close in time means close in the index. */
function idsOf(now: Date) {
  const milliseconds = now.getTime().toString(16).padStart(12, '0');
  return sql`overlay(overlay(gen_random_uuid()::text placing ${`${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}`}
    from 1 for 13) placing '7' from 15 for 1)::uuid`;
}

/**
 * Inserts deliveries of messages for each target of their source, for mail one for each address, in order. A disabled
 * target and a refused address get dropped deliveries, which can be redelivered when that has changed. An org may have
 * thousands of addresses, so these rows never pass through the server's memory.
 */
export async function insertDeliveries(db: Db, org: string, numbered: readonly Draft[], now: Date): Promise<void> {
  const rows = numbered.map(({ id, source, recipients }, place) => ({
    id,
    source_id: source.id,
    config_type: source.configType,
    recipients: recipients ?? null,
    place,
  }));
  await sql`
    with numbered as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as numbered (id uuid, source_id uuid, config_type text, recipients text[], place integer)
    ), made as (
      insert into delivery (org_id, id, target_id, message_id, address, state, due_at, created_at, ended_at)
      select ${org}::uuid, ${idsOf(now)}, target.id, numbered.id, receiver.address, outcome.state, ${now}::timestamptz,
        ${now}::timestamptz, case when outcome.state = 'dropped' then ${now}::timestamptz end
      from numbered
      join notification_target as target on target.org_id = ${org} and target.source_id = numbered.source_id
        and target.removed_at is null and target.config_type is not distinct from numbered.config_type
        and target.derived = (numbered.recipients is not null)
      join target_state as state on state.org_id = ${org} and state.target_id = target.id
      cross join lateral (
        select null as address, 0 as nth where target.kind <> 'EMAIL'
        union all
        select email, min(nth)
        from unnest(coalesce(numbered.recipients, target.emails)) with ordinality as given (email, nth)
        where target.kind = 'EMAIL' group by email
      ) as receiver
      cross join lateral (
        select case when state.disabled_at is not null or exists (
          select from mail_refusal
          where mail_refusal.org_id = ${org} and mail_refusal.target_id = target.id
            and mail_refusal.address = receiver.address
        ) then 'dropped' else 'waiting' end as state
      ) as outcome
      order by numbered.place, target.position, target.id, receiver.nth
      returning target_id, state
    )
    update target_state as state set due_at = least(state.due_at, greatest(state.paused_until, ${now}::timestamptz))
    from (select distinct target_id from made where state = 'waiting') as used
    where state.org_id = ${org} and state.target_id = used.target_id`.execute(db);
}

/** Nobody can enable a derived target, so it is always tried again. */
export async function reviveDerived(db: Db, org: string, source: PlannedMessage['source']): Promise<void> {
  await sql`
    update target_state as state
    set disabled_at = null, disabled_because = null, failures = 0, failing_since = null, paused_until = null
    from notification_target as target
    where target.org_id = ${org} and target.config_type = ${source.configType} and target.derived
      and target.removed_at is null and state.org_id = target.org_id and state.target_id = target.id
      and state.disabled_at is not null`.execute(db);
}

function listOf(keys: readonly LineKey[]) {
  return sql`unnest(${keys.map((key) => key.source_id)}::uuid[], ${keys.map((key) => key.scope_id)}::uuid[])
    as line (source_id, scope_id)`;
}
