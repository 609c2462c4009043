import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pruneMessages } from '../../src/features/notifications/queue/delivery.tasks.ts';
import * as queue from '../../src/features/notifications/queue/delivery-queue.store.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { startApi } from '../harness.ts';
import { costlyIn } from './plans/costly.ts';
import { openExplainer } from './plans/explained.ts';

/** Of many orgs; every fortieth has something due, as many are paused, and as many will be due. */
const TARGETS = 20_000;
/** Five per target, of which a few hundred are older than 30 days, and a backlog for one. */
const MESSAGES = 5 * TARGETS;
const BACKLOG = 5_000;
const ORGS = 1_000;

const api = await startApi();
const explainer = openExplainer(api.ownerUrl);
afterAll(() => explainer.close());

const idOf = (kind: string, i: number) => sql<string>`md5(${`${kind}-${i}`})::uuid`;
const NOW = new Date();
/** The target with the backlog, and its org. */
let target: { org_id: string; target_id: string };
let delivery: string;

beforeAll(async () => {
  const rows = (count: number) => sql`generate_series(1, ${count}::integer) as i`;
  const orgOf = (i: ReturnType<typeof sql>) => sql`md5('org-' || (${i}) % ${ORGS}::integer)::uuid`;
  await sql`
    insert into org (id, name, kind, created_at)
    select ${orgOf(sql`i`)}, 'org-' || i, 'shared', now() from ${rows(ORGS)}`.execute(api.db);
  await sql`
    insert into notification_target (org_id, id, source_id, kind, position, emails, created_at)
    select ${orgOf(sql`i`)}, md5('target-' || i)::uuid, gen_random_uuid(), 'EMAIL', 0, '{}', now()
    from ${rows(TARGETS)}`.execute(api.db);
  await sql`
    insert into target_state (org_id, target_id, due_at, paused_until, failures)
    select ${orgOf(sql`i`)}, md5('target-' || i)::uuid,
      case i % 40 when 0 then ${NOW}::timestamptz - make_interval(secs => i) when 1 then ${NOW}::timestamptz - interval '1 minute'
        when 2 then ${NOW}::timestamptz + interval '1 hour' end,
      case i % 40 when 1 then ${NOW}::timestamptz + interval '1 minute' end, case i % 40 when 1 then 5 else 0 end
    from ${rows(TARGETS)}`.execute(api.db);
  await sql`
    insert into message (org_id, id, source_id, scope_id, trigger, sequence, count, content, created_at)
    select ${orgOf(sql`i`)}, md5('message-' || i)::uuid, gen_random_uuid(), gen_random_uuid(), 'ON_STARTED_ARTIFACT', i, 1,
      '{}', now() - make_interval(secs => 26 * i)
    from ${rows(MESSAGES)}`.execute(api.db);
  await sql`
    insert into delivery (org_id, id, target_id, message_id, state, tries, attempts, due_at, created_at)
    select ${orgOf(sql`i`)}, md5('delivery-' || i)::uuid, md5('target-' || 1 + (i - 1) % ${TARGETS}::integer)::uuid,
      md5('message-' || i)::uuid, 'delivered', 1, 1, now(), now()
    from ${rows(MESSAGES)}`.execute(api.db);
  await sql`
    insert into delivery_attempt (org_id, delivery_id, no, at, request_id, outcome, latency_ms)
    select org_id, id, 1, now(), gen_random_uuid(), 'delivered', 1 from delivery where org_id is not null`.execute(
    api.db,
  );
  await sql`
    insert into delivery (org_id, id, target_id, message_id, state, due_at, created_at)
    select ${orgOf(sql`1`)}, md5('waiting-' || i)::uuid, md5('target-1')::uuid, md5('message-1')::uuid, 'waiting',
      ${NOW}::timestamptz, now()
    from ${rows(BACKLOG)}`.execute(api.db);
  await sql`vacuum analyze`.execute(api.owner);
  const { rows: found } = await sql<{ org_id: string; target_id: string; delivery: string }>`
    select ${orgOf(sql`1`)} as org_id, ${idOf('target', 1)} as target_id, ${idOf('waiting', 1)} as delivery`.execute(
    api.db,
  );
  const [first] = found;
  if (!first) throw new Error('there is no target');
  target = { org_id: first.org_id, target_id: first.target_id };
  delivery = first.delivery;
}, 600_000);

const worker = randomUUID();
const until = new Date(NOW.getTime() + 30_000);
const room = { slots: 128, troubled_slots: 32, per_org: 32, orgs: [], held: [] };

const statements: [string, (db: Db) => Promise<unknown>][] = [
  ['targets that are due', (db) => queue.takeTargets(db, { ...room, worker, now: NOW, until })],
  ['what waits for a target', (db) => queue.listWaiting(db, { ...target, now: NOW, limit: 50 })],
  ['a target', (db) => queue.findTarget(db, target.org_id, target.target_id)],
  ['a delivery', (db) => queue.findDelivery(db, target.org_id, delivery)],
  ['an attempt', (db) => queue.recordAttempt(db, { ...attempted(), delivered: false })],
  ['an attempt after which all becomes due', (db) => queue.recordAttempt(db, attempted())],
  ['a target that is let go', (db) => queue.releaseTarget(db, { ...target, worker, due_at: null })],
  ['a target that is let go with more to do', (db) => queue.releaseTarget(db, { ...target, worker, due_at: NOW })],
  ['what is dropped', (db) => queue.dropWaiting(db, target.org_id, { target: target.target_id, now: NOW })],
  ['what is old', (db) => pruneMessages.run(db)],
  ['an attempt that begins', (db) => queue.beginAttempt(db, beginning())],
];

function beginning() {
  return { ...target, worker, delivery_id: delivery, request_id: randomUUID(), at: NOW };
}

function attempted(): queue.AttemptRecord {
  return {
    ...target,
    delivery_id: delivery,
    request_id: randomUUID(),
    at: NOW,
    delivered: true,
    status: 204,
    latency_ms: 1,
    error: null,
    retry_at: null,
    ended_at: new Date(NOW.getTime() - 1),
    counts: false,
    paused_until: null,
    redeliveries: 0,
    worker: null,
    held_until: null,
  };
}

it.each(statements)('%s is found through an index', async (_, run) => {
  const plans = await explainer.explain(run);
  expect(plans.length).toBeGreaterThan(0);
  for (const { name, plan } of plans) expect(costlyIn(plan), name).toEqual([]);
});
