import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { selfSigned } from '../../apps/server/test/given/certificate.ts';
import { send } from './call.ts';
import { type Installation, install, serviceRoots } from './installation.ts';
import { print, untilQuiet } from './rounds.ts';
import { setting } from './settings.ts';

const ORGS = setting('BENCH_ORGS', 10);
const TARGETS = setting('BENCH_TARGETS', 20);
const MESSAGES = setting('BENCH_MESSAGES', 50);
const FLOOR_PER_SECOND = 200;
/** One target of twenty in each org never answers. */
const isDead = (target: number) => target % 20 === 19;

/**
 * Measures how many deliveries per second two workers make, each over a new TLS connection, while 5 % of the targets
 * are down. The receiver shares the machine with them.
 */
export async function benchDeliver(): Promise<boolean> {
  const installation = await install();
  const receiver = await startReceiver();
  Object.assign(installation.env, {
    WAYMARK_SECRET_KEY: Buffer.alloc(32, 'bench').toString('base64'),
    WAYMARK_OUTBOUND_NETWORKS: '127.0.0.0/8,::1/128',
    NODE_EXTRA_CA_CERTS: receiver.caFile,
  });
  const api = await installation.start('api');
  for (let org = 0; org < ORGS; org++) await givenTargets(installation, `org-${org}`, receiver.url);
  await api.stop();
  const workers = [await installation.start('worker'), await installation.start('worker')];
  try {
    const measure = () => deliverAll(installation, receiver);
    const result = await untilQuiet(serviceRoots(), measure, ({ perSecond, missing }, others) =>
      print(`${perSecond} deliveries a second, ${missing} missing; others took ${others}`),
    );
    print(JSON.stringify({ name: 'deliver', ...result }));
    return result.missing === 0 && result.perSecond >= FLOOR_PER_SECOND;
  } finally {
    for (const worker of workers) await worker.stop();
    receiver.stop();
    installation.remove();
  }
}

async function givenTargets({ admin, url }: Installation, org: string, receiver: string): Promise<void> {
  if (org !== 'acme') admin('org', 'create', org);
  admin('user', 'create', `admin-${org}`, '--org', org, '--role', 'admin');
  const key = admin('key', 'create', '--user', `admin-${org}`);
  const environment = { name: 'prod', type: 'server' };
  await send(url, key, { method: 'PUT', path: `/environments/${org}`, body: environment });
  for (let target = 0; target < TARGETS; target++) {
    const body = {
      name: `n-${target}`,
      environments: ['prod'],
      triggers: ['ON_NON_COMPLIANT_ENV'],
      targets: [{ type: 'WEBHOOK', webhook: `${receiver}/${isDead(target) ? 'dead' : 'good'}/${org}/${target}` }],
    };
    await send(url, key, { method: 'PUT', path: `/organizations/${org}/environments_notifications`, body });
  }
}

const CONTENT = JSON.stringify({
  ...{ environment: 'prod', flow: null, trail: null, attestation: null, apiKey: null, why: 'it has no provenance' },
  snapshot: { index: 1, status: 'non-compliant' },
  artifact: { name: 'registry/web:1', fingerprint: 'a'.repeat(64), compliant: false, provenance: null },
  names: ['registry/web:1'],
});

/** Queues messages for every target, and waits until all live ones have received theirs. */
async function deliverAll({ sql }: Installation, receiver: Receiver) {
  receiver.forget();
  const wanted = ORGS * (TARGETS - Math.floor(TARGETS / 20)) * MESSAGES;
  sql(`
    insert into message (org_id, id, source_id, scope_id, trigger, sequence, count, content, created_at)
    select org_id, gen_random_uuid(), source_id, id, 'ON_NON_COMPLIANT_ENV', null, 1, '${CONTENT}'::jsonb, now()
    from notification_target cross join generate_series(1, ${MESSAGES});
    insert into delivery (org_id, id, target_id, message_id, state, due_at, created_at)
    select org_id, gen_random_uuid(), scope_id, id, 'waiting', now(), now() from message
    where not exists (select from delivery where delivery.org_id = message.org_id and message_id = message.id);
    update target_state set due_at = now() where disabled_at is null;`);
  const started = performance.now();
  for (let polls = 0; polls < 1_200 && receiver.count() < wanted; polls++) await wait(100);
  const seconds = (performance.now() - started) / 1000;
  return { perSecond: Math.round(receiver.count() / seconds), missing: Math.max(0, wanted - receiver.count()) };
}

interface Receiver {
  readonly url: string;
  readonly caFile: string;
  count(): number;
  forget(): void;
  stop(): void;
}

async function startReceiver(): Promise<Receiver> {
  const certificate = selfSigned('localhost');
  const directory = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
  const caFile = join(directory, 'ca.pem');
  writeFileSync(caFile, certificate.cert);
  let count = 0;
  const server = createServer(certificate, (request, response) => {
    request.resume();
    if (request.url?.startsWith('/dead')) return;
    count += 1;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    caFile,
    count: () => count,
    forget: () => {
      count = 0;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
      rmSync(directory, { recursive: true });
    },
  };
}
