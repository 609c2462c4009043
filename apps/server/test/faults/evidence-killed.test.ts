import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { directoryBlobs } from '../../src/platform/blobs/directory-blobs.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg, type Org } from './installation.ts';

const KILLS = isFull ? 60 : 3;
const CALLERS = 6;
const PATIENCE_MS = 180_000;

interface Reported {
  readonly evidenceId: string;
  readonly attestationId: string;
}

/** Callers that attest one thing after another, every third with a file, and repeat what was not acknowledged. */
function startReporting(url: string, org: Org) {
  const reported: Reported[] = [];
  const count = { broken: 0, files: 0 };
  const stopping = new AbortController();
  const callers = Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
  callers.catch(() => undefined);

  async function call(caller: number): Promise<void> {
    for (let i = caller; !stopping.signal.aborted; i += CALLERS) {
      const evidenceId = randomUUID();
      reported.push({ evidenceId, attestationId: await untilAcknowledged(i, evidenceId) });
      if (hasFile(i)) count.files += 1;
    }
  }

  async function untilAcknowledged(i: number, evidenceId: string): Promise<string> {
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline) {
      const attestationId = await report(i, evidenceId);
      if (attestationId !== undefined) return attestationId;
      await sleep(50);
    }
    throw new Error(`report ${i} was not acknowledged in ${PATIENCE_MS} ms`);
  }

  async function report(i: number, evidenceId: string): Promise<string | undefined> {
    const kind = hasFile(i) ? 'junit' : 'generic';
    const json = { attestation_name: `check-${i % 7}`, ...(kind === 'generic' && { is_compliant: true }) };
    const form = new FormData();
    form.append('data_json', JSON.stringify(json));
    if (kind === 'junit') {
      form.append(
        'attachment_file',
        new Blob([`<testsuite name="s${i}"><testcase name="a"/></testsuite>`]),
        'junit.xml',
      );
    }
    try {
      // A new trail every fifty reports, so that beginning one is interrupted as well.
      const path = `/api/v2/attestations/${org.name}/web/trail/t-${Math.floor(i / 50)}/${kind}`;
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${org.key}`, 'waymark-evidence-id': evidenceId },
        body: form,
        signal: AbortSignal.timeout(20_000),
      });
      await response.text();
      if (response.status !== 201 && response.status !== 503) throw new Error(`answered ${response.status}`);
      return response.headers.get('waymark-attestation')?.split(';')[0];
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('answered')) throw error;
      count.broken += 1;
      return undefined;
    }
  }

  return {
    reported,
    count,
    async stop() {
      stopping.abort();
      await callers;
    },
  };
}

function hasFile(i: number): boolean {
  return i % 3 === 0;
}

/** What was lost or duplicated, in words. */
async function findFaults(db: Db, org: Org, reported: readonly Reported[]): Promise<string[]> {
  const { rows } = await sql<{
    evidence_id: string;
    acknowledged: string;
    receipt: string;
    rows: number;
    entries: number;
  }>`
    select known.evidence_id, known.id as acknowledged, receipt.subject_id as receipt,
      (select count(*) from attestation where org_id = ${org.id} and id = known.id) as rows,
      coalesce(recorded.entries, 0) as entries
    from unnest(
      ${reported.map(({ evidenceId }) => evidenceId)}::uuid[], ${reported.map(({ attestationId }) => attestationId)}::uuid[]
    ) as known (evidence_id, id)
    left join evidence_receipt as receipt on receipt.org_id = ${org.id} and receipt.evidence_id = known.evidence_id
    left join (
      select subject_id, count(*) as entries from journal where org_id = ${org.id} group by subject_id
    ) as recorded on recorded.subject_id = known.id`.execute(db);
  const wrong = rows.filter((row) => row.receipt !== row.acknowledged || row.rows !== 1 || row.entries !== 1);
  return wrong.slice(0, 5).map((row) => JSON.stringify(row));
}

async function countOf(db: Db, table: 'attestation' | 'trail', org: Org): Promise<number> {
  const row = await db
    .selectFrom(table)
    .select((count) => count.fn.countAll<number>().as('count'))
    .where('org_id', '=', org.id)
    .executeTakeFirstOrThrow();
  return row.count;
}

it(`keeps every acknowledged attestation once, with its file, when the server is killed ${KILLS} times`, async ({
  annotate,
}) => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  let api = await site.startApi();
  await site.startWorker();
  const load = startReporting(site.url, org);

  for (let kill = 1; kill <= KILLS; kill++) {
    // A file is read in a thread that each server starts anew: a server that dies sooner would starve callers with
    // files.
    const before = load.count.files;
    await expect.poll(() => load.count.files, { timeout: PATIENCE_MS, interval: 50 }).toBeGreaterThan(before);
    await sleep(randomInt(0, 2_000));
    await api.kill();
    api = await site.startApi();
  }
  await load.stop();
  await untilProcessed(site.db);

  expect(await findFaults(site.db, org, load.reported)).toEqual([]);
  expect(await countOf(site.db, 'attestation', org)).toBe(load.reported.length);
  expect(load.count.broken).toBeGreaterThan(0);
  const blobs = directoryBlobs({ root: site.env['WAYMARK_BLOB_DIR'] ?? '' });
  const attached = await site.db
    .selectFrom('attestation')
    .select(['attachment_sha256', 'attachment_size'])
    .where('org_id', '=', org.id)
    .where('attachment_sha256', 'is not', null)
    .execute();
  expect(attached.length).toBeGreaterThan(0);
  for (const { attachment_sha256, attachment_size } of attached) {
    expect(await blobs.stat(org.id, attachment_sha256 ?? '')).toEqual({ size: attachment_size });
  }
  await annotate(
    `${KILLS} kills; ${load.reported.length} attestations into ${await countOf(site.db, 'trail', org)} trails, ` +
      `${attached.length} files; ${load.count.broken} requests broken`,
  );
});
