import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { exitCodes } from '../../../cli/src/run/exit-codes.ts';
import { givenCli } from '../../../cli/test/given-cli.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { givenInstallation, givenOrg, type Org } from './installation.ts';

const ATTESTATIONS = isFull ? 500 : 60;
const TRAILS = 6;

const cli = givenCli();

/** One attestation by a separate run of the command line. Every third is a file that the server judges. */
async function attest(env: Readonly<Record<string, string>>, i: number): Promise<'sent' | 'spooled'> {
  const place = ['--name', `check-${i}`, '--flow', 'web', '--trail', `t-${i % TRAILS}`, '--strict'];
  const report = `<testsuite name="s${i}"><testcase name="a"/></testsuite>`;
  const { code, stderr } =
    i % 3 === 0
      ? await cli.run(['attest', 'junit', '-', ...place], { env, stdin: report })
      : await cli.run(['attest', 'generic', '--compliant', ...place], { env });
  expect([exitCodes.done, exitCodes.spooled], stderr).toContain(code);
  return code === exitCodes.done ? 'sent' : 'spooled';
}

async function orderIn(db: Db, org: Org): Promise<Record<string, string[]>> {
  const { rows } = await sql<{ trail: string; names: string[] }>`
    select trail.name as trail, array_agg(attestation.name order by attestation.receipt) as names
    from attestation join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
    where attestation.org_id = ${org.id}
    group by trail.name`.execute(db);
  return Object.fromEntries(rows.map(({ trail, names }) => [trail, names]));
}

it(`records ${ATTESTATIONS} attestations once and in order while the server is killed and started`, async ({
  annotate,
}) => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  const env = {
    WAYMARK_HOST: site.url,
    WAYMARK_ORG: org.name,
    WAYMARK_TOKEN: org.key,
    WAYMARK_RETRIES: '1',
    WAYMARK_TIMEOUT: '20s',
  };
  const counts = { sent: 0, spooled: 0 };
  // A pipeline per trail: attestations of one trail come one after another.
  const pipeline = async (trail: number) => {
    for (let i = trail; i < ATTESTATIONS; i += TRAILS) {
      counts[await attest(env, i)] += 1;
      await sleep(randomInt(0, 1_500));
    }
  };
  let api = await site.startApi();
  let isOver = false;
  const pipelines = Promise.all(Array.from({ length: TRAILS }, (_, trail) => pipeline(trail))).finally(() => {
    isOver = true;
  });
  pipelines.catch(() => undefined);

  let kills = 0;
  while (!isOver) {
    // A server starts more slowly than a pipeline runs: one that dies before it has answered would prove little.
    const before = counts.sent;
    while (!isOver && counts.sent === before) await sleep(20);
    await sleep(randomInt(0, 1_000));
    await api.kill();
    kills += 1;
    await sleep(randomInt(0, 1_000));
    api = await site.startApi();
  }
  await pipelines;

  const pushed = await cli.run(['spool', 'push'], { env });
  expect(pushed.code, pushed.stderr).toBe(exitCodes.done);
  expect(JSON.parse((await cli.run(['spool', 'status', '--json'], { env })).stdout)).toMatchObject({
    waiting: [],
    refused: [],
    damaged: [],
  });
  const expected = Array.from({ length: TRAILS }, (_, trail) => [
    `t-${trail}`,
    Array.from({ length: ATTESTATIONS }, (_, i) => i)
      .filter((i) => i % TRAILS === trail)
      .map((i) => `check-${i}`),
  ]);
  expect(await orderIn(site.db, org)).toEqual(Object.fromEntries(expected));
  expect(counts.sent + counts.spooled).toBe(ATTESTATIONS);
  expect(Math.min(kills, counts.sent, counts.spooled)).toBeGreaterThan(0);
  await annotate(
    `${kills} kills; ${counts.sent} sent at once, ${counts.spooled} spooled; at the end: ${pushed.stdout.trim()}`,
  );
});
