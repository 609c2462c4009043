import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stepWindows } from '../../src/features/notifications/plan/expiry-steps.ts';
import * as store from '../../src/features/notifications/plan/key-expiry.store.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { startApi } from '../harness.ts';
import { costlyIn, rowsRead } from './plans/costly.ts';
import { openExplainer } from './plans/explained.ts';

/** Of one org, so that the org alone narrows nothing down, one expiring every ten minutes. */
const KEYS = 50_000;
/** Keys whose owners were notified. */
const KEYS_SOON = 30 * 24 * 6;
/** Keys without a notification yet. */
const DUE = 20;

const api = await startApi();
const explainer = openExplainer(api.ownerUrl);
afterAll(() => explainer.close());
const now = new Date('2026-06-01T00:00:00Z');
const account = randomUUID();

beforeAll(async () => {
  const keys = sql`insert into api_key (id, hash, org_id, service_account_id, description, created_at, expires_at)`;
  await sql`
    insert into service_account (org_id, id, name, privilege, created_by, created_at)
    values (${api.org.id}, ${account}, 'deployer', 'member', 'x', ${now}::timestamptz - interval '1 year')`.execute(
    api.db,
  );
  await sql`
    ${keys} select md5('key-' || i)::uuid, sha256(('key-' || i)::bytea), ${api.org.id}, ${account}, '',
      ${now}::timestamptz - interval '1 year', ${now}::timestamptz + i * interval '10 minutes'
    from generate_series(1, ${KEYS}) as i`.execute(api.db);
  await sql`
    insert into api_key_notice (org_id, key_id, step, noticed_at)
    select ${api.org.id}, md5('key-' || i)::uuid, step, ${now}
    from generate_series(1, ${KEYS}) as i, unnest(array[30, 14, 7, 3, 1]) as step
    where i * interval '10 minutes' <= step * interval '24 hours'`.execute(api.db);
  await sql`
    ${keys} select md5('due-' || i)::uuid, sha256(('due-' || i)::bytea), ${api.org.id}, ${account}, '',
      ${now}::timestamptz - interval '1 year', ${now}::timestamptz + interval '14 days' - i * interval '1 second'
    from generate_series(1, ${DUE}) as i`.execute(api.db);
  await sql`vacuum analyze`.execute(api.owner);
}, 600_000);

async function plansOf(work: (db: Db) => Promise<unknown>) {
  const plans = await explainer.explain(work);
  expect(plans.length).toBeGreaterThan(0);
  return plans.map(({ plan }) => plan);
}

const due = (db: Db, since: Date | undefined) => store.listDueKeys(db, stepWindows(now, since), 100, undefined);

it('finds the keys without a notification', async () => {
  expect(await due(api.db, undefined)).toHaveLength(DUE);
  expect(await due(api.db, new Date(now.getTime() - 60_000))).toHaveLength(DUE);
});

it('reads the keys that expire soon, and for each whether there was a notification', async () => {
  const [plan] = await plansOf((db) => due(db, undefined));
  expect(JSON.stringify(plan)).toContain('api_key_expiring');
  expect(rowsRead(plan ?? {})).toBeLessThan(4 * (KEYS_SOON + DUE));
});

it('reads a few rows when it remembers its last check', async () => {
  const [plan] = await plansOf((db) => due(db, new Date(now.getTime() - 11 * 60_000)));
  expect(costlyIn(plan ?? {})).toEqual([]);
  expect(rowsRead(plan ?? {})).toBeLessThan(200);
});

it('takes steps, notes messages and finds addresses by key', async () => {
  const notices = [{ key_id: randomUUID(), step: 14 }];
  const sent = notices.map((notice) => ({ ...notice, message_id: randomUUID() }));
  for (const work of [
    (db: Db) => store.insertNotices(db, api.org.id, notices, now),
    (db: Db) => store.updateNotices(db, api.org.id, sent),
    (db: Db) => store.listAddressees(db, api.org.id, [], 100),
  ]) {
    for (const plan of await plansOf(work)) expect(costlyIn(plan)).toEqual([]);
  }
});
