import type { MessageContent, MessageTrigger } from '@waymark/messages';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Draft, Telling } from './message-line.ts';

/** What numbers messages on its own. */
export interface LineKey {
  readonly source_id: string;
  readonly scope_id: string;
}

interface ToldEntry {
  readonly entry_id: string;
  readonly source_id: string;
  readonly trigger: string;
}

/** Entries that each of the sources is told of by the same trigger. */
export interface ToldTogether {
  readonly trigger: string;
  readonly entries: readonly string[];
  readonly sources: readonly string[];
}

/** Notes what is told of now, and says what of it was told before. */
export async function insertEntries(
  db: Db,
  org: string,
  told: readonly ToldTogether[],
  now: Date,
): Promise<ToldEntry[]> {
  const { rows } = await sql<ToldEntry>`
    with wanted as materialized (
      select distinct entry_id, source_id, told.trigger
      from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as told (trigger text, entries uuid[], sources uuid[])
      cross join unnest(told.entries) as entry_id cross join unnest(told.sources) as source_id
    ), noted as (
      insert into message_entry (org_id, entry_id, source_id, trigger, created_at)
      select ${org}::uuid, entry_id, source_id, trigger, ${now}::timestamptz from wanted
      order by entry_id, source_id, trigger
      on conflict do nothing
      returning entry_id, source_id, trigger
    )
    select entry_id, source_id, trigger from wanted except select entry_id, source_id, trigger from noted`.execute(db);
  return rows;
}

export async function hasEntries(db: Db, org: string, entryIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select entry_id from message_entry
    where org_id = ${org} and entry_id = any(${entryIds}::uuid[]) limit 1`.execute(db);
  return rows.length > 0;
}

type Locked = LineKey & { readonly last: number };

/** In one order for everybody. Where nothing was told yet the count begins. */
export async function lockSequences(db: Db, org: string, keys: readonly LineKey[]): Promise<Locked[]> {
  const { rows } = await sql<Locked>`
    insert into message_sequence as sequence (org_id, source_id, scope_id, last)
    select ${org}::uuid, source_id, scope_id, 0 from ${listOf(keys)} order by source_id, scope_id
    on conflict (org_id, source_id, scope_id) do update set last = sequence.last
    returning source_id, scope_id, last`.execute(db);
  return rows;
}

/** Without those that somebody else is at. */
export async function lockFreeSequences(db: Db, org: string, keys: readonly LineKey[]): Promise<Locked[]> {
  const { rows } = await sql<Locked>`
    select source_id, scope_id, last from message_sequence
    where org_id = ${org} and (source_id, scope_id) in (select source_id, scope_id from ${listOf(keys)})
    for update skip locked`.execute(db);
  return rows;
}

export async function updateSequences(db: Db, org: string, sequences: readonly Locked[]): Promise<void> {
  await sql`
    update message_sequence as sequence set last = told.last
    from unnest(${sequences.map((row) => row.source_id)}::uuid[], ${sequences.map((row) => row.scope_id)}::uuid[],
      ${sequences.map((row) => row.last)}::bigint[]) as told (source_id, scope_id, last)
    where sequence.org_id = ${org} and sequence.source_id = told.source_id
      and sequence.scope_id = told.scope_id`.execute(db);
}

interface OpenRow extends LineKey {
  readonly id: string;
  readonly config_type: 'api_key_expiry' | null;
  readonly trigger: MessageTrigger;
  readonly count: number;
  readonly content: MessageContent;
  readonly created_at: Date;
  readonly open_until: Date;
}

/** Oldest first. */
export async function listOpen(db: Db, org: string, keys: readonly LineKey[]): Promise<OpenRow[]> {
  const { rows } = await sql<OpenRow>`
    select message.id, message.source_id, message.config_type, message.scope_id, message.trigger, message.count,
      message.content, message.created_at, message.open_until
    from ${listOf(keys)}
    join message on message.org_id = ${org} and message.source_id = line.source_id
      and message.scope_id = line.scope_id and message.open_until is not null
    order by message.created_at, message.id`.execute(db);
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

/** Of all orgs, those that have waited longest. */
export async function listDue(db: Db, now: Date, limit: number): Promise<(LineKey & { readonly org_id: string })[]> {
  const { rows } = await sql<LineKey & { readonly org_id: string }>`
    select org_id, source_id, scope_id from message
    where open_until <= ${now} order by open_until limit ${limit}`.execute(db);
  return rows;
}

/** Those that had been there come first: of one trigger only one may be open at a time. */
export async function upsertMessages(db: Db, org: string, drafts: readonly Draft[], now: Date): Promise<void> {
  await sql`
    insert into message (org_id, id, source_id, config_type, scope_id, trigger, sequence, count, content, created_at,
      open_until, numbered_at)
    select ${org}::uuid, id, source_id, config_type, scope_id, trigger, sequence, count, content, created_at, open_until,
      case when sequence is not null then ${now}::timestamptz end
    from unnest(${drafts.map(({ id }) => id)}::uuid[], ${drafts.map(({ source }) => source.id)}::uuid[],
      ${drafts.map(({ source }) => source.configType)}::text[], ${drafts.map(({ scopeId }) => scopeId)}::uuid[],
      ${drafts.map(({ trigger }) => trigger)}::text[], ${drafts.map(({ sequence }) => sequence)}::bigint[],
      ${drafts.map(({ count }) => count)}::integer[], ${drafts.map(({ content }) => textOf(content))}::jsonb[],
      ${drafts.map(({ createdAt }) => createdAt)}::timestamptz[],
      ${drafts.map(({ openUntil }) => openUntil)}::timestamptz[]
    ) with ordinality as draft (id, source_id, config_type, scope_id, trigger, sequence, count, content, created_at,
      open_until, place)
    order by place
    on conflict (org_id, id) do update set sequence = excluded.sequence, count = excluded.count,
      content = excluded.content, open_until = excluded.open_until, numbered_at = excluded.numbered_at`.execute(db);
}

const LONGEST = 4_096;

/** What evidence says of itself may hold anything: jsonb has no place for U+0000 nor for half of a character. */
function textOf(content: MessageContent): string {
  return JSON.stringify(content, (_, value: unknown) =>
    typeof value === 'string' ? value.slice(0, LONGEST).toWellFormed().replaceAll('\u0000', '\ufffd') : value,
  );
}

export interface Receiver {
  readonly id: string;
  readonly source_id: string;
  readonly config_type: Telling['source']['configType'];
  readonly kind: 'CHAT' | 'WEBHOOK' | 'EMAIL';
  readonly emails: readonly string[];
  readonly derived: boolean;
  readonly refused: readonly string[];
}

/** Those that messages go to. They stay so until the end of the transaction. */
export async function lockReceivers(db: Db, org: string, sourceIds: readonly string[]): Promise<Receiver[]> {
  const { rows } = await sql<Receiver>`
    select target.id, target.source_id, target.config_type, target.kind, target.emails, target.derived,
      array(select address from mail_refusal as refusal
        where refusal.org_id = target.org_id and refusal.target_id = target.id) as refused
    from notification_target as target
    left join target_state as state on state.org_id = target.org_id and state.target_id = target.id
    where target.org_id = ${org} and target.source_id = any(${sourceIds}::uuid[]) and target.removed_at is null
      and (state.disabled_at is null or target.derived)
    order by target.source_id, target.position, target.id
    for share of target`.execute(db);
  return rows;
}

/** There is one for each kind of configuration, from the first time it is needed. */
export async function ensureDerived(db: Db, org: string, id: string, source: Telling['source'], now: Date) {
  await sql`
    insert into notification_target (org_id, id, source_id, config_type, kind, position, derived, created_at)
    values (${org}, ${id}, ${source.id}, ${source.configType}, 'EMAIL', 0, true, ${now})
    on conflict (org_id, config_type) where derived and removed_at is null do nothing`.execute(db);
}

interface NewDelivery {
  readonly id: string;
  readonly targetId: string;
  readonly messageId: string;
  readonly address: string | null;
}

/** In the order in which they are to be sent. */
export async function insertDeliveries(db: Db, org: string, deliveries: readonly NewDelivery[], now: Date) {
  await sql`
    insert into delivery (org_id, id, target_id, message_id, address, state, due_at, created_at)
    select ${org}::uuid, id, target_id, message_id, address, 'waiting', ${now}::timestamptz, ${now}::timestamptz
    from unnest(${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map(({ targetId }) => targetId)}::uuid[],
      ${deliveries.map(({ messageId }) => messageId)}::uuid[], ${deliveries.map(({ address }) => address)}::text[]
    ) with ordinality as delivery (id, target_id, message_id, address, place)
    order by place`.execute(db);
}

/** Has them sent to without delay, and says which of them are in use. */
export async function upsertDue(db: Db, org: string, targetIds: readonly string[], now: Date): Promise<string[]> {
  const { rows } = await sql<{ target_id: string; in_use: boolean }>`
    insert into target_state as state (org_id, target_id, due_at)
    select ${org}::uuid, target_id, ${now}::timestamptz from unnest(${targetIds}::uuid[]) as told (target_id)
    order by target_id
    on conflict (org_id, target_id) do update set
      due_at = case when state.disabled_at is null then least(state.due_at, excluded.due_at) else state.due_at end
    returning target_id, disabled_at is null as in_use`.execute(db);
  return rows.flatMap(({ target_id, in_use }) => (in_use ? target_id : []));
}

/** What nobody has given nobody can put right, so it is always tried again. */
export async function reviveDerived(db: Db, org: string, source: Telling['source']): Promise<void> {
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
