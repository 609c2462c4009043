import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { ask } from '../../../../tools/bench/call.ts';
import { artifactOf, built, type Caller, call, reported } from '../../../../tools/bench/rejudge/fleet.ts';
import { startNats, stopNats } from '../../../../tools/services/nats.ts';
import { isFull } from '../../../../tools/test-size.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { givenInstallation, givenOrg, type Installation } from './installation.ts';
import { givenNats } from './private-services.ts';
import type { ServerProcess } from './processes.ts';
import { givenReceivers, type Manner, type Receivers } from './receivers.ts';

/** In full: 10 orgs with 20 targets each that get 100 messages each, 20,000 deliveries. */
const ORGS = isFull ? 10 : 4;
const TARGETS = isFull ? 20 : 10;
const CHANGES = isFull ? 100 : 15;
const KILLS = isFull ? 12 : 3;
const BETWEEN_CHANGES_MS = isFull ? 400 : 500;
const PATIENCE_MS = 300_000;

/** Of an org's twenty targets, one of each kind is bad. */
const BAD: readonly Manner[] = ['never answers', 'fails', 'asks to wait', 'hangs up', 'answers slowly'];

interface Body {
  readonly id: string;
  readonly sequence: number;
  readonly timestamp: number;
  readonly environment: string;
  readonly event_type: string;
}

interface Site {
  readonly site: Installation;
  readonly nats: Awaited<ReturnType<typeof givenNats>>;
  readonly receivers: Receivers;
  readonly callers: readonly Caller[];
}

const nameOf = (org: number, target: number) => `${org}-${target}`;

async function givenSite(mannerOf: (name: string) => Manner): Promise<Site> {
  const receivers = await givenReceivers(mannerOf);
  const nats = await givenNats();
  const site = await givenInstallation({
    natsUrl: nats.url,
    env: {
      WAYMARK_SECRET_KEY: randomBytes(32).toString('base64'),
      WAYMARK_OUTBOUND_NETWORKS: '127.0.0.0/8,::1/128',
      NODE_EXTRA_CA_CERTS: receivers.caFile,
    },
  });
  await site.startApi();
  const callers: Caller[] = [];
  for (let org = 0; org < ORGS; org++) {
    const { name, key } = await givenOrg(site.ctx, `org-${org}`);
    const caller = { url: site.url, org: name, key };
    await givenListeners(caller, (target) => receivers.url(nameOf(org, target)));
    callers.push(caller);
  }
  return { site, nats, receivers, callers };
}

const GOOD = artifactOf('reviewed');
const POLICY = '_schema: https://example.com/policy/v1\nartifacts:\n  provenance: { required: true }\n';

async function givenListeners(caller: Caller, urlOf: (target: number) => string): Promise<void> {
  const { org } = caller;
  await call(caller, { method: 'PUT', path: `/flows/${org}`, body: { name: 'web', template: 'version: 1' } });
  await call(caller, built(org, 'web', 'build-1', GOOD));
  await call(caller, { method: 'PUT', path: `/policies/${org}/known`, body: { policy_yaml: POLICY } });
  const environment = { name: 'prod', type: 'server', policies: ['known'] };
  await call(caller, { method: 'PUT', path: `/environments/${org}`, body: environment });
  for (let target = 0; target < TARGETS; target++) {
    const notification = {
      name: `n-${target}`,
      type: 'env',
      environments: ['prod'],
      triggers: ['ON_COMPLIANT_ENV', 'ON_NON_COMPLIANT_ENV'],
      targets: [{ type: 'WEBHOOK', webhook: urlOf(target) }],
    };
    await call(caller, { method: 'PUT', path: `/organizations/${org}/environments_notifications`, body: notification });
  }
}

/** Turns an environment red and green again; each state is a notification to every listener. */
async function changeStates(caller: Caller): Promise<void> {
  for (let i = 0; i < CHANGES; i++) {
    const running = i % 2 === 0 ? artifactOf('unknown', String(i)) : GOOD;
    await call(caller, reported(caller.org, 'prod', [running]));
    await sleep(BETWEEN_CHANGES_MS);
  }
}

/** Kills one of two workers after another, at the same times in each run, and loses the stream once. */
async function breakThings({ site, nats }: Site, waits: readonly number[]): Promise<ServerProcess[]> {
  const workers = [await site.startWorker(), await site.startWorker()];
  for (const [i, wait] of waits.entries()) {
    await sleep(wait);
    await workers[i % 2]?.kill();
    if (i === Math.floor(waits.length / 2)) {
      await stopNats(nats.server, 'SIGKILL');
      await startNats({ ...nats.server, clean: true });
    }
    workers[i % 2] = await site.startWorker();
  }
  return workers;
}

const bodyOf = (content: string) => JSON.parse(content) as Body;

/** Sequences in the order in which they first arrived. */
function firstSequences(receivers: Receivers, name: string): number[] {
  return [...new Set(receivers.received(name).map(({ text }) => bodyOf(text).sequence))];
}

/** Milliseconds between an event and its first arrival at each of these, sorted. */
function latencies(receivers: Receivers, names: readonly string[]): number[] {
  const found = names.flatMap((name) => {
    const first = new Map<number, number>();
    for (const { at, text } of receivers.received(name)) {
      const { sequence, timestamp } = bodyOf(text);
      if (!first.has(sequence)) first.set(sequence, at - timestamp * 1000);
    }
    return [...first.values()];
  });
  return found.sort((a, b) => a - b);
}

const p95 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;

async function run(mannerOf: (name: string) => Manner, waits: readonly number[]) {
  const names = Array.from({ length: ORGS * TARGETS }, (_, i) => nameOf(Math.floor(i / TARGETS), i % TARGETS));
  const good = names.filter((name) => mannerOf(name) === 'good');
  const made = await givenSite(mannerOf);
  const [workers] = await Promise.all([breakThings(made, waits), ...made.callers.map(changeStates)]);
  const missing = () => good.filter((name) => firstSequences(made.receivers, name).length < CHANGES).length;
  await expect.poll(missing, { timeout: PATIENCE_MS, interval: 500 }).toBe(0);
  for (const worker of workers) await worker.stop();
  return { ...made, names, good, p95: p95(latencies(made.receivers, good)) };
}

/** What the record misstates, in words. */
async function recordFaults(db: Db, receivers: Receivers, names: readonly string[]): Promise<string[]> {
  const { rows: wrong } = await sql<{ fault: string }>`
    select 'target ' || target_id || ' has ' || count(*) || ' deliveries' as fault
    from delivery group by target_id having count(*) <> ${CHANGES}
    union all
    select 'delivery ' || delivery.id || ' has ' || count(attempt.no) || ' attempts and says ' || delivery.attempts
    from delivery left join delivery_attempt as attempt
      on attempt.org_id = delivery.org_id and attempt.delivery_id = delivery.id
    group by delivery.org_id, delivery.id having count(attempt.no) <> delivery.attempts
    limit 5`.execute(db);
  // The worker that takes over sends what a killed one left behind.
  const { rows: known } = await sql<{ request_id: string }>`
    select request_id from delivery_attempt
    union all select sending_request from target_state where sending_request is not null`.execute(db);
  const recorded = new Set(known.map(({ request_id }) => request_id));
  const seen = names.flatMap((name) => receivers.received(name).map(({ headers }) => headers['x-request-id'] ?? ''));
  const unknown = seen.filter((id) => !recorded.has(id));
  return [
    ...wrong.map(({ fault }) => fault),
    ...unknown.slice(0, 5).map((id) => `request ${id} is not in the history`),
  ];
}

/** Each delivery has one id and one content, however often it arrived. */
function repeatFaults(receivers: Receivers, name: string): string[] {
  const ids = new Map<number, Set<string>>();
  for (const { headers, text } of receivers.received(name)) {
    const { id, sequence } = bodyOf(text);
    const known = ids.get(sequence) ?? new Set();
    ids.set(sequence, known.add(`${headers['webhook-id']} ${id} ${text}`));
  }
  return [...ids]
    .filter(([, variants]) => variants.size > 1)
    .map(([sequence]) => `${name}: ${sequence} came in two forms`);
}

async function signatureFaults({ callers, receivers }: Site): Promise<number> {
  let wrong = 0;
  for (const [org, caller] of callers.entries()) {
    const path = `/organizations/${caller.org}/environments_notifications`;
    const { content } = await ask(caller.url, caller.key, { method: 'GET', path });
    for (const { name, targets } of JSON.parse(content) as { name: string; targets: { id: string }[] }[]) {
      const secretPath = `/organizations/${caller.org}/targets/${targets[0]?.id}/secret`;
      const answer = await ask(caller.url, caller.key, { method: 'GET', path: secretPath });
      const webhook = new Webhook((JSON.parse(answer.content) as { secret: string }).secret);
      const last = receivers.received(nameOf(org, Number(name.slice(2)))).at(-1);
      if (last) webhook.verify(last.text, { ...last.headers });
      else wrong += 1;
    }
  }
  return wrong;
}

const badOnes = (name: string): Manner => BAD[Number(name.split('-')[1])] ?? 'good';

/** Every good receiver got everything, in order, once or several times in the same form, and the record agrees. */
async function expectAllNotified({ site, receivers, names, good }: Awaited<ReturnType<typeof run>>): Promise<void> {
  const expected = Array.from({ length: CHANGES }, (_, i) => i + 1);
  for (const name of good) {
    expect(firstSequences(receivers, name), name).toEqual(expected);
    expect(repeatFaults(receivers, name)).toEqual([]);
  }
  expect(await recordFaults(site.db, receivers, names)).toEqual([]);
}

async function stateOf(db: Db): Promise<string> {
  const { rows } = await sql<{ state: string; deliveries: number; attempts: number }>`
    select state, count(*) as deliveries, sum(attempts)::integer as attempts from delivery
    group by state order by state`.execute(db);
  return rows.map((row) => `${row.state} ${row.deliveries} (${row.attempts} attempts)`).join(', ');
}

it('delivers everything to good targets, in order, while others fail and workers are killed', async ({ annotate }) => {
  const waits = Array.from({ length: KILLS }, () => randomInt(1_000, 4_000));
  const mixed = await run(badOnes, waits);
  await expectAllNotified(mixed);
  expect(await signatureFaults(mixed)).toBe(0);
  const figures =
    `${ORGS * TARGETS} targets, ${ORGS * BAD.length} of them bad, ${CHANGES} messages each, ${KILLS} workers killed, ` +
    `JetStream wiped once; ${await stateOf(mixed.site.db)}; p95 of the good ones ${Math.round(mixed.p95)} ms`;
  if (!isFull) {
    await annotate(figures);
    return;
  }

  const well = await run(() => 'good', waits);
  await expectAllNotified(well);
  const ratio = mixed.p95 / well.p95;
  await annotate(`${figures}, without bad ones ${Math.round(well.p95)} ms (ratio ${ratio.toFixed(2)})`);
  expect(ratio).toBeLessThanOrEqual(2);
});
