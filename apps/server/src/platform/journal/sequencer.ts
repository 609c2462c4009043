import { sql } from 'kysely';
import { type Alarm, createAlarm } from '../alarm.ts';
import type { Db } from '../db/db.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { compareNextWindow } from './comparison.ts';
import { runLeader } from './leader.ts';
import { recordLife } from './life.ts';
import { isAnyUnread, type LanePosition, loadSequence, type Sequence, takePass } from './pass.ts';
import { pokeSubject, type StreamLink } from './stream.ts';

/** One sequencer per database makes passes; the others wait for its advisory lock, which only keeps them quiet. */
const SEQUENCER_LOCK = 7_201_001;
const BATCH = 1_000;
const POLL_MS = 500;
/** A pass has costs of its own. With this many entries in each, rests that are longer leave more of the machine to writers. */
const BUSY_ENTRIES = 24;
/** How many times as long as the last pass took a sequencer rests before the next. */
const QUIET_REST = { perPass: 2, maxMs: 40 };
const BUSY_REST = { perPass: 8, maxMs: 80 };
const MIN_REST_MS = 4;
const TICK_MS = 60_000;

/** What a pass has put in order, for those who wait for it. */
export interface Sequenced {
  readonly orgs: readonly string[];
  readonly lanes: readonly LanePosition[];
}

interface SequencerParts {
  readonly db: Db;
  readonly stream: Pick<StreamLink, 'current'>;
  /** Wakes when this process has written something. */
  readonly written?: Alarm;
  readonly onSequenced: (sequenced: Sequenced) => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Gives every committed entry its place in the order while it is the leader, and waits to become it while it is not. */
export function runSequencer(parts: SequencerParts): Promise<void> {
  return runLeader({ ...parts, lock: SEQUENCER_LOCK, name: 'sequencer', lead: (db) => lead({ ...parts, db }) });
}

async function lead(parts: SequencerParts): Promise<void> {
  const written = parts.written ?? createAlarm();
  const pokes = subscribeToPokes(parts.stream, written.wake);
  parts.signal.addEventListener('abort', written.wake, { once: true });
  try {
    await requirePlainSequence(parts.db);
    await recordLife(parts.db, parts.log);
    await keepUp(parts, written, pokes.subscribe);
  } finally {
    pokes.unsubscribe();
    parts.signal.removeEventListener('abort', written.wake);
  }
}

/** A number that is drawn later must be higher, and each is drawn once. */
async function requirePlainSequence(db: Db): Promise<void> {
  const { rows } = await sql<{ is_plain: boolean }>`
    select seqcache = 1 and seqincrement = 1 and not seqcycle as is_plain
    from pg_sequence where seqrelid = 'journal_seq'::regclass`.execute(db);
  if (!rows[0]?.is_plain) throw new Error('journal_seq must have cache 1 and increment 1, and must not cycle');
}

async function keepUp(parts: SequencerParts, written: Alarm, onEachPass: () => void): Promise<void> {
  const { db, log, signal } = parts;
  let sequence = await loadSequence(db);
  let tickAt = 0;
  while (!signal.aborted) {
    onEachPass();
    written.reset();
    const startedAt = performance.now();
    if (startedAt >= tickAt) {
      await tick(db).catch((error: unknown) => {
        log.error({ error: String(error) }, 'ranges of the journal could not be made ahead of time');
      });
      tickAt = startedAt + TICK_MS;
    }
    const passed = await takePass(db, sequence, BATCH);
    sequence = passed.sequence;
    if (passed.count > 0) parts.onSequenced(passed);
    if (passed.isMoreVisible) continue;
    if (passed.count === 0 && !isAnyUnread(sequence) && !written.wasWoken()) {
      sequence = await compareWhenIdle(db, sequence, log);
      if (!written.wasWoken()) await written.sleep(POLL_MS);
    } else {
      await pause(restAfter(passed.count, performance.now() - startedAt), signal);
    }
  }
}

function restAfter(count: number, tookMs: number): number {
  const { perPass, maxMs } = count < BUSY_ENTRIES ? QUIET_REST : BUSY_REST;
  return Math.min(maxMs, Math.max(MIN_REST_MS, perPass * tookMs));
}

/** What the comparison finds is in gaps then, which the next pass reads. */
async function compareWhenIdle(db: Db, sequence: Sequence, log: Logger): Promise<Sequence> {
  const missing = await compareNextWindow(db);
  if (missing === 0) return sequence;
  log.error({ entries: missing }, 'entries of the journal were not in the ledger, and are sequenced late');
  return loadSequence(db);
}

/**
 * Makes ranges ahead of time, and notes how far the numbers are. Of a time when nothing is written, only the beginning and
 * the end are noted.
 */
async function tick(db: Db): Promise<void> {
  await sql`select ensure_ranges()`.execute(db);
  await sql`
    with newest as (
      select at, seq from journal_tick order by at desc limit 2
    ), replaced as (
      delete from journal_tick
      where at = (select max(at) from newest)
        and 2 = (select count(*) from newest where seq = (select high_water from sequencer))
    )
    insert into journal_tick (at, seq) select now(), high_water from sequencer on conflict do nothing`.execute(db);
}

/** NATS may be connected later than this process leads. */
function subscribeToPokes(stream: Pick<StreamLink, 'current'>, onPoke: () => void) {
  let subscription: { unsubscribe(): void } | undefined;
  return {
    subscribe() {
      const linked = stream.current();
      if (linked) subscription ??= linked.nats.subscribe(pokeSubject(linked.stream), { callback: onPoke });
    },
    unsubscribe: () => subscription?.unsubscribe(),
  };
}
