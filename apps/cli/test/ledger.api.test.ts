import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  givenCosignature,
  givenNoCosignatures,
  givenWitnesses,
  policyOf,
} from '../../server/test/given/cosignatures.ts';
import { attest, givenFlow, givenTrail } from '../../server/test/given/evidence.ts';
import { givenEntries, givenRewrittenLedger, givenServedLedger } from '../../server/test/given/proofs.ts';
import { startApi, type TestApi } from '../../server/test/harness.ts';
import { givenCli } from './given-cli.ts';

const witnesses = await givenWitnesses('alpha', 'beta');

/** A service whose entries are sealed, and whose newest checkpoint both witnesses cosigned. */
async function givenService(name: string) {
  const api = await startApi({ ledger: { name: 'waymark.test/eu', witnesses: policyOf(witnesses) } });
  const host = await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  const ledger = await givenServedLedger(api);
  const seal = async () => {
    await ledger.seal();
    for (const witness of witnesses) await givenCosignature(api.owner, witness);
  };
  await givenFlow(api, 'shop');
  await givenTrail(api, 'shop', name);
  await attest(api, 'shop', name, { attestation_name: 'unit-tests', is_compliant: true });
  await seal();
  const cli = givenCli({ WAYMARK_HOST: host, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: api.org.keys.reader });
  const saved = await cli.run(['ledger', 'trust-policy', '--to', 'trust.txt']);
  expect(saved.code).toBe(0);
  const watch = (...more: string[]) =>
    cli.run([
      ...['ledger', 'watch', '--once', '--policy', 'trust.txt', '--state', 'kept.json'],
      ...['--wait-for-witnesses', '0s', ...more],
    ]);
  return { api, cli, seal, watch, file: (path: string) => join(cli.cwd, path) };
}

const write = ({ owner, org }: TestApi, count: number) => givenEntries(owner, [org.id], count);

it('prints the checkpoints and the trust policy, downloads a proof, and verifies it offline', async () => {
  const { cli, file } = await givenService('release-1');
  const policy = readFileSync(file('trust.txt'), 'utf8');
  expect(policy).toContain('log waymark.test/eu/1+');
  for (const flags of [[], ['--region']]) {
    const checkpoint = await cli.run(['ledger', 'checkpoint', '--policy', 'trust.txt', ...flags]);
    expect(checkpoint).toMatchObject({ code: 0, stdout: expect.stringContaining('waymark.test/eu/1') as string });
  }
  const proof = await cli.run(['ledger', 'proof', 'trail', 'shop/release-1', '--to', 'release-1.tlog-proof']);
  expect(proof).toMatchObject({ code: 0 });
  const verified = await cli.run(['ledger', 'verify', 'release-1.tlog-proof', '--policy', 'trust.txt']);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("Cosigned by 'alpha'") as string });
  const listed = await cli.run(['ledger', 'proof', 'trail', 'shop/release-1', '--list', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ type: 'trail.begun', sealed: { epoch: 1, witnesses: 2 } }]);
  const missing = await cli.run(['ledger', 'proof', 'trail', 'shop/none']);
  expect([missing.code, missing.stderr]).toEqual([5, expect.stringContaining("'none' does not exist")]);

  const bytes = readFileSync(file('release-1.tlog-proof'), 'utf8');
  writeFileSync(
    file('forged.tlog-proof'),
    bytes.replace(/index (\d+)/, (_, index) => `index ${Number(index) + 1}`),
  );
  expect((await cli.run(['ledger', 'verify', 'forged.tlog-proof', '--policy', 'trust.txt'])).code).toBe(3);
});

it('watches a log that grows past the ends of its tiles', async () => {
  const { api, watch, seal } = await givenService('release-2');
  expect(await watch()).toMatchObject({ code: 0, stderr: '' });
  for (const count of [1, 250, 257, 1_000]) {
    await write(api, count);
    await seal();
    expect(await watch()).toMatchObject({ code: 0, stderr: '' });
    expect(await watch()).toMatchObject({ code: 0, stderr: '' });
  }
  await write(api, 1);
  await seal();
  await givenNoCosignatures(api.owner);
  const without = await watch();
  expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('lacks the cosignatures')]);
});

it('finds that the database was rewritten and signed again with the key of today', async () => {
  const { api, watch, seal, file } = await givenService('release-3');
  await write(api, 300);
  await seal();
  expect(await watch()).toMatchObject({ code: 0 });
  const before = readFileSync(file('kept.json'), 'utf8');

  const again = await givenRewrittenLedger(api);
  await again.seal();
  for (const witness of witnesses) await givenCosignature(api.owner, witness);

  const { code, stderr } = await watch();
  expect([code, stderr]).toEqual([3, expect.stringMatching(/FORK|got smaller/)]);
  expect(readFileSync(file('kept.json'), 'utf8')).toBe(before);
  await write(api, 2);
  await again.seal();
  for (const witness of witnesses) await givenCosignature(api.owner, witness);
  const later = await watch();
  expect([later.code, later.stderr]).toEqual([3, expect.stringMatching(/FORK|got smaller/)]);
});
