import {
  fillPath,
  getLedger,
  getRegionCheckpoint,
  getRegionLogs,
  getRegionTile,
  getTrustPolicy,
  listLedgerEntries,
} from '@waymark/contract';
import { decodeEntries, parsePolicy, parseRegionLeaf, parseSignedCheckpoint } from '@waymark/transparency';
import { expect, it } from 'vitest';
import { givenFlow, givenTrail } from '../../../test/given/evidence.ts';
import { givenServedLedger, provenBy } from '../../../test/given/proofs.ts';
import { startApi } from '../../../test/harness.ts';
import { beginEpoch } from '../../platform/ledger/epochs.ts';

const api = await startApi();
const ledger = await givenServedLedger(api);

const regionLogs = async () => (await api.call(getRegionLogs, { key: '' })).body;
const checkpointOf = async (epoch: number) => {
  const { body } = await api.call(getRegionCheckpoint, { params: { epoch: String(epoch) }, key: '' });
  return parseSignedCheckpoint(body).checkpoint;
};

it('proves what was recorded before a break under the new epoch, and keeps serving the old one', async () => {
  await givenFlow(api, 'shop');
  await givenTrail(api, 'shop', 'before');
  await ledger.seal();
  const before = await checkpointOf(1);
  const trail = { trail: 'shop/before' };
  expect((await provenBy(api, ledger.policy(1), trail)).org.origin).toMatch(/^waymark\.test\/eu\/1\/org\//);

  const { db, ...parts } = { db: api.owner, ...ledger };
  await beginEpoch({ db, ...parts }, { reason: 'PostgreSQL was restored', whileSigning: true });
  expect((await provenBy(api, ledger.policy(1), trail)).region.signed.checkpoint.size).toBe(before.size);
  await givenTrail(api, 'shop', 'after');
  await ledger.seal();

  for (const named of [trail, { trail: 'shop/after' }])
    expect((await provenBy(api, ledger.policy(2), named)).org.origin).toMatch(/^waymark\.test\/eu\/2\/org\//);
  const listed = await api.call(listLedgerEntries, { query: trail });
  expect(listed.body.data[0]?.sealed).toMatchObject({ epoch: 2 });

  const logs = await regionLogs();
  expect(logs).toMatchObject({
    current: 2,
    epochs: [
      { epoch: 2, origin: 'waymark.test/eu/2', reason: 'PostgreSQL was restored' },
      { epoch: 1, origin: 'waymark.test/eu/1', reason: null, size: before.size },
    ],
  });
  expect((await api.call(getLedger)).body).toMatchObject({ epoch: 2, epochs: [{ epoch: 2 }, { epoch: 1 }] });
  const [log] = parsePolicy((await api.call(getTrustPolicy, { key: '' })).body).logs;
  expect(log).toMatchObject({ key: { name: 'waymark.test/eu/2' }, url: 'http://waymark.test/api/v2/region-log/2' });

  expect(await checkpointOf(1)).toEqual(before);
  const url = fillPath(getRegionTile, (name) => (name === 'epoch' ? '2' : 'entries/000.p/1'));
  const { rawPayload } = await api.app.http.inject({ url: `/api/v2${url}` });
  const [first] = decodeEntries(rawPayload, 1);
  expect(parseRegionLeaf(first ?? '')).toMatchObject({
    kind: 'epoch',
    epoch: 2,
    previous: { origin: 'waymark.test/eu/1', size: before.size },
  });
});
