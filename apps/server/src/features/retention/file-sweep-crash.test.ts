import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { attestGeneric } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { drivers } from '../../../test/blobs/drivers.ts';
import { attestationIdOf } from '../../../test/given/evidence.ts';
import { noLog, startApi } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { storeFile } from '../../platform/http/evidence-file.ts';
import { sweepFiles } from './file-sweep.service.ts';

/** Statements and removals after which the sweep is killed; it has fewer. */
const STEPS = isFull ? Array.from({ length: 16 }, (_, i) => i + 1) : [3, 5, 7];
const DAY_MS = 24 * 3_600_000;
const api = await startApi();

/** Sweeps, and kills itself before the given step. */
const SWEEPER = `
  import { openDb } from ${JSON.stringify(join(import.meta.dirname, '../../platform/db/db.ts'))};
  import { directoryBlobs } from ${JSON.stringify(join(import.meta.dirname, '../../platform/blobs/directory-blobs.ts'))};
  import { sweepFiles } from ${JSON.stringify(join(import.meta.dirname, 'file-sweep.service.ts'))};
  const { url, root, now, last } = JSON.parse(process.argv[1]);
  let step = 0;
  const count = () => { if (++step === last) process.kill(process.pid, 'SIGKILL'); };
  const log = { info() {}, warn() {}, error() {}, debug() {}, child: () => log };
  const db = openDb({ url, poolSize: 1, statementTimeoutMs: 30_000 }, log, count);
  const blobs = directoryBlobs({ root });
  const counting = { ...blobs, async remove(...blob) { count(); await blobs.remove(...blob); count(); } };
  await sweepFiles({ db, blobs: counting, log, now: () => new Date(now) });
  await db.destroy();`;

it(`loses nothing and leaves nothing when a sweep is killed at each of ${STEPS.length} steps`, async () => {
  const [directory] = drivers;
  const test = await directory.given();
  onTestFinished(test.close);
  const ctx = (now: Date) => ({ ...systemCtx(api.db, api.org.id, 'tests', noLog), now: () => now });
  const upload = (content: string, now: Date) =>
    storeFile(test.blobs, ctx(now), 1e6)(
      'f',
      (async function* () {
        yield Buffer.from(content);
      })(),
      (() => undefined) as never,
    );
  const isThere = async (content: string) => (await test.blobs.stat(api.org.id, hash('sha256', content))) !== undefined;
  let now = new Date();
  await upload('evidence', now);
  const recorded = await api.call(attestGeneric, {
    params: { flow_name: 'f', trail_name: 't' },
    body: { attestation_name: 'x', is_compliant: true },
  });
  await sql`
    update attestation set attachment_sha256 = ${hash('sha256', 'evidence')}, attachment_name = 'f', attachment_size = 8
    where org_id = ${api.org.id} and id = ${attestationIdOf(recorded)}`.execute(api.db);
  for (const last of STEPS) {
    const orphans = [`a ${last}`, `b ${last}`];
    for (const content of orphans) await upload(content, now);
    now = new Date(now.getTime() + 9 * DAY_MS);
    const given = JSON.stringify({ url: api.url, root: test.root, now: now.toISOString(), last });
    const sweeper = spawn(process.execPath, ['--input-type=module', '-e', SWEEPER, given], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await once(sweeper, 'exit');
    expect(await isThere('evidence')).toBe(true);
    // One of them is needed again.
    const [again = '', gone = ''] = orphans;
    await upload(again, now);
    await sweepFiles({ db: api.db, blobs: test.blobs, log: noLog, now: () => now });
    expect([await isThere('evidence'), await isThere(again), await isThere(gone)]).toEqual([true, true, false]);
  }
});
