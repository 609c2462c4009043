import { gunzipSync } from 'node:zlib';
import { getEnvironmentPackage } from '@waymark/contract';
import { parseEntry, parseHeadProof, parsePolicy, verifyEntry, verifyHeadProof } from '@waymark/transparency';
import { sql } from 'kysely';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../../test/given/environments.ts';
import { attest, givenFlow, givenTrail } from '../../../../test/given/evidence.ts';
import { givenServedLedger } from '../../../../test/given/proofs.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { startApi } from '../../../../test/harness.ts';

const api = await startApi();
const ledger = await givenServedLedger(api);
let count = 0;

async function givenEvidence(): Promise<string> {
  const flow = `flow-${++count}`;
  await givenFlow(api, flow);
  await givenTrail(api, flow, 't');
  expect((await attest(api, flow, 't', { attestation_name: 'lint', is_compliant: false })).status).toBe(201);
  return flow;
}

function download(path: string, key = api.org.keys.reader) {
  return api.app.http.inject({ url: `/api/v2${path}`, headers: { authorization: `Bearer ${key}` } });
}

async function filesOf(answer: { readonly statusCode: number; readonly rawPayload: Buffer }) {
  expect(answer.statusCode).toBe(200);
  const files = new Map<string, string>();
  const tar = extract();
  tar.end(gunzipSync(answer.rawPayload));
  for await (const entry of tar) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    files.set(entry.header.name, Buffer.concat(chunks).toString());
  }
  return files;
}

interface Manifest {
  readonly ledger: {
    readonly log: string | null;
    readonly size: number | null;
    readonly entry_count: number;
    readonly not_proven: readonly string[];
    readonly because: string | null;
  };
}

const ledgerIn = (files: ReadonlyMap<string, string>) =>
  (JSON.parse(files.get('manifest.json') ?? '') as Manifest).ledger;

describe('the proofs in a package', () => {
  it('are those of every record in it, at one head', async () => {
    const flow = await givenEvidence();
    await ledger.seal();
    const files = await filesOf(await download(`/trails/acme/${flow}/t/audit_package`));
    const head = parseHeadProof(files.get('ledger/region.tlog-proof') ?? '');
    expect((await verifyHeadProof(head, parsePolicy(ledger.policy()))).ok).toBe(true);
    const entries = (files.get('ledger/entries.ndjson') ?? '').trimEnd().split('\n').map(parseEntry);
    for (const entry of entries)
      expect(verifyEntry(entry, head.org).map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    expect(entries.map(({ leaf }) => leaf.type)).toEqual([
      'org.created',
      'flow.created',
      'trail.begun',
      'attestation.recorded',
    ]);
    expect(ledgerIn(files)).toEqual({
      ...{ log: head.org.log, size: head.org.size, entry_count: 4 },
      ...{ not_proven: [], not_proven_count: 0, because: null },
    });
    expect(files.get('README.md')).toContain('contains 4 journal entries');
  });

  it('are waited for', async () => {
    const flow = await givenEvidence();
    const downloading = download(`/trails/acme/${flow}/t/audit_package`);
    await ledger.seal();
    expect(ledgerIn(await filesOf(await downloading))).toMatchObject({ entry_count: 4, not_proven: [] });
  });

  it('are not pretended while entries are not sealed', async () => {
    const flow = await givenEvidence();
    const files = await filesOf(await download(`/trails/acme/${flow}/t/audit_package`));
    const { not_proven: unproven, because } = ledgerIn(files);
    expect(unproven).toContain('records/trail.json');
    expect(unproven.join()).toContain('records/attestations/');
    expect(because).toBe('their journal entries were not sealed yet when the package was exported');
    expect(files.get('README.md')).toContain(`**Not proven**, because ${because}:`);
    await ledger.seal();
  });

  it('are missing for a reason where signing stopped', async () => {
    const flow = await givenEvidence();
    await sql`update sealer set stopped_at = now(), stopped_because = 'restored'`.execute(api.owner);
    const files = await filesOf(await download(`/trails/acme/${flow}/t/audit_package`));
    await sql`update sealer set stopped_at = null, stopped_because = null`.execute(api.owner);
    expect(ledgerIn(files).because).toBe('signing stopped: restored');
  });
});

describe('the package of an environment', () => {
  const path = (name: string, query = '') =>
    `${getEnvironmentPackage.path.replace(':org', 'acme').replace(':env_name', name)}${query}`;

  it('has what ran, and the entries of the environment', async () => {
    await givenEnvironment(api, 'prod');
    await givenRunning(api, 'prod', { web: 'a' });
    await ledger.seal();
    const files = await filesOf(await download(path('prod')));
    const { id } = await environmentOf(api, 'prod');
    expect(JSON.parse(files.get('records/environment.json') ?? '')).toMatchObject({
      id,
      first_snapshot: 1,
      last_snapshot: 1,
    });
    expect(JSON.parse(files.get('records/snapshots/1.json') ?? '')).toMatchObject({
      runs: [{ name: 'web' }],
      exited: [],
    });
    expect(files.get('ledger/entries.ndjson')).toContain('snapshot.recorded');
    expect(ledgerIn(files)).toMatchObject({ not_proven: [] });
  });

  it('is empty before the first report', async () => {
    await givenEnvironment(api, 'new');
    await ledger.seal();
    const files = await filesOf(await download(path('new')));
    expect(JSON.parse(files.get('records/environment.json') ?? '')).toMatchObject({ first_snapshot: null });
  });

  it('is refused for a period that is none, an unknown environment, another org, and no key', async () => {
    const now = api.clock.now.getTime() / 1000;
    expect((await download(path('prod', `?from=${now}&to=${now - 5}`))).statusCode).toBe(400);
    expect((await download(path('prod', `?from=${now - 500 * 86_400}`))).statusCode).toBe(400);
    expect((await download(path('gone'))).statusCode).toBe(404);
    expect((await download(path('prod').replace('acme', 'other'))).statusCode).toBe(403);
    expect((await download(path('prod'), 'nonsense')).statusCode).toBe(401);
    for (const key of [api.org.keys.admin, api.org.keys.member])
      expect((await download(path('prod'), key)).statusCode).toBe(200);
  });
});
