import { fillPath, getLedgerTile, getRegionTile, listFlows } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { holdRows } from '../../../test/given/held-rows.ts';
import { givenServedLedger } from '../../../test/given/proofs.ts';
import { startApi } from '../../../test/harness.ts';

const CROWDED = 2;

const api = await startApi({
  admissionLimits: { runningAlone: CROWDED, runningPerOrg: CROWDED, runningOfHeaviest: CROWDED, waitingPerOrg: 40 },
});
const other = await api.givenOrg('other');
await (await givenServedLedger(api)).seal();

const tile = () =>
  api.app.http.inject({
    url: `/api/v2${fillPath(getLedgerTile, (name) => (name === 'org' ? api.org.name : '0/000.p/1'))}`,
    headers: { authorization: `Bearer ${api.org.keys.reader}` },
  });
const regionTile = () =>
  api.app.http.inject({ url: `/api/v2${fillPath(getRegionTile, (name) => (name === 'epoch' ? '1' : '0/000.p/1'))}` });
const readOther = () => api.call(listFlows, { params: { org: other.name }, key: other.keys.reader });

it.each([
  ['members of one org', 'org_log', tile],
  ['the public', 'region_checkpoint', regionTile],
])('%s can wait for many tiles without delaying other orgs', async (_, table, read) => {
  const letGo = await holdRows(api.owner, sql`lock table ${sql.table(table)} in access exclusive mode`);
  const asked = Array.from({ length: 12 }, read);
  await expect.poll(() => api.app.admission.figures()).toMatchObject({ running: CROWDED, waiting: 12 - CROWDED });
  expect((await readOther()).status).toBe(200);
  await letGo();
  expect((await Promise.all(asked)).map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(200));
});

it('counts the bytes of public tiles against the address that reads them', async () => {
  const limited = await startApi({ rateLimit: { perSecond: 1, burst: 40 } });
  const ledger = await givenServedLedger(limited);
  await ledger.seal();
  const statuses: number[] = [];
  for (let i = 0; i < 41; i++) {
    const url = `/api/v2${fillPath(getRegionTile, (name) => (name === 'epoch' ? '1' : 'entries/000.p/1'))}`;
    statuses.push((await limited.app.http.inject({ url })).statusCode);
  }
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
});
