import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenMetrics } from '../../../test/given/metrics.ts';
import { givenSealedLedger } from '../../../test/given/sealed.ts';
import { startApi } from '../../../test/harness.ts';
import { sequenceAll } from '../journal/pass.ts';
import { observeLedger } from './ledger.metrics.ts';
import { stopSigning } from './sealer-state.ts';

const api = await startApi();
const ledger = await givenSealedLedger(api.db);
const { metrics, read } = givenMetrics();
observeLedger(metrics, api.db);

async function figure(name: string): Promise<number | undefined> {
  return (await read(name))?.[0]?.value;
}

it('shows how far the sealer is behind, and what has no proof yet', async () => {
  // As a sealer with a key records it when it begins to lead.
  await sql`update sealer set has_key = true`.execute(api.owner);
  await ledger.seal();
  expect(await figure('ledger_unsigned')).toBe(0);
  expect(await figure('ledger_sealer_lag_entries')).toBe(0);
  expect(await figure('ledger_unprovable_seconds')).toBe(0);
  expect(await figure('ledger_checkpoints')).toBe(1);
  const sealed = await figure('ledger_sealed_entries_total');

  await api.givenOrg('late');
  await sequenceAll(api.db);
  const waiting = await figure('ledger_sealer_lag_entries');
  expect(waiting).toBeGreaterThan(0);
  expect(await figure('ledger_unprovable_seconds')).toBeGreaterThan(0);
  await ledger.seal();
  expect(await figure('ledger_sealer_lag_entries')).toBe(0);
  expect(await figure('ledger_unprovable_seconds')).toBe(0);
  expect(await figure('ledger_sealed_entries_total')).toBe((sealed ?? 0) + (waiting ?? 0));
  expect(await figure('ledger_archive_lag_leaves')).toBe(0);
});

it('raises an alarm while signing is stopped, and for orgs whose log is', async () => {
  expect(await figure('ledger_signing_stopped')).toBe(0);
  expect(await figure('ledger_stopped_orgs')).toBe(0);
  await stopSigning(api.db, 1, 'PostgreSQL was restored to an earlier point');
  await sql`update org_log set stopped_because = 'an entry is missing' where org_id = ${api.org.id}`.execute(api.db);
  expect(await figure('ledger_signing_stopped')).toBe(1);
  expect(await figure('ledger_stopped_orgs')).toBe(1);
});
