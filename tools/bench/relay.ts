import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import pg from 'pg';
import { endpoints } from '../services/endpoints.ts';
import { install, serviceRoots } from './installation.ts';
import { compare } from './rounds.ts';

const ENTRIES = 20_000;
const LANES = 16;
const ROUNDS = 5;
const FLOOR = 0.5;
/** The concurrency of the relay: 512 per lane. */
const IN_FLIGHT = 8_192;

/**
 * From the commit of a burst until every entry is published with acknowledgement and every processor's position is
 * committed, against a bare loop that only publishes.
 */
export async function benchRelay(): Promise<boolean> {
  const installation = await install();
  for (let i = 0; i < 63; i++) installation.admin('org', 'create', `org-${i}`);
  const db = new pg.Client({ connectionString: installation.databaseUrl });
  await db.connect();
  const nats = await connect({ servers: endpoints().natsUrl });
  const bareStream = `${installation.stream}_bare`;
  const worker = await installation.start('worker');
  try {
    await untilDone(db);
    const ratio = await compare({
      name: 'relay',
      rounds: ROUNDS,
      roots: serviceRoots(),
      ours: { name: 'relay, process', measure: () => relayBurst(db) },
      bare: { name: 'bare publish', measure: () => publishBare(nats, bareStream) },
    });
    return ratio >= FLOOR;
  } finally {
    await worker.stop();
    const manager = await jetstreamManager(nats);
    for (const stream of [installation.stream, bareStream]) await manager.streams.delete(stream).catch(() => undefined);
    await nats.close();
    await db.end();
    installation.remove();
  }
}

async function relayBurst(db: pg.Client): Promise<number> {
  await db.query(`insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind,
      subject_id, subject_seq, payload, nonce, payload_digest)
    select (array(select id from org order by id))[1 + i % 64], gen_random_uuid(), now(), 'flow.updated', 1, 'system',
      'bench', 'flow', gen_random_uuid(), 1, '{"name":"bench","description":"' || repeat('x', 200) || '"}',
      decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
    from generate_series(1, ${ENTRIES}) as i`);
  const committed = performance.now();
  await untilDone(db);
  return ENTRIES / ((performance.now() - committed) / 1000);
}

/** Until the relay has published every entry and every processor has committed what follows from it. */
async function untilDone(db: pg.Client): Promise<void> {
  for (let attempt = 0; attempt < 6_000; attempt++) {
    const { rows } = await db.query<{ done: boolean }>(`
      select count(*) = 3 * ${LANES} and bool_and(not exists (
        select from journal where lane = reached.lane and (xid, seq) > (reached.xid, reached.seq)
      )) as done
      from (select lane, xid, seq from processor_position union all select lane, xid, seq from relay_cursor) as reached`);
    if (rows[0]?.done) return;
    await pause(10);
  }
  throw new Error('relay and processors did not catch up');
}

/** The same number of notices of the same size, with acknowledgement and the same number under way. */
async function publishBare(nats: NatsConnection, stream: string): Promise<number> {
  const manager = await jetstreamManager(nats);
  await manager.streams.add({ name: stream, subjects: [`${stream}.*`], duplicate_window: 120 * 1e9 });
  const client = jetstream(nats);
  const started = performance.now();
  for (let sent = 0; sent < ENTRIES; sent += IN_FLIGHT) {
    const batch = Array.from({ length: Math.min(IN_FLIGHT, ENTRIES - sent) }, (_, i) => {
      const id = randomUUID();
      return client.publish(`${stream}.${i % LANES}`, notice(id, sent + i), { msgID: id });
    });
    await Promise.all(batch);
  }
  return ENTRIES / ((performance.now() - started) / 1000);
}

function notice(id: string, seq: number): string {
  const subject = { kind: 'flow', id: '01a1dcbd-cad7-7bed-8bab-abac6871c132' };
  const org_id = '01a1dcbd-b181-7a6f-95a6-99de8b17055a';
  return JSON.stringify({
    id,
    xid: '123456',
    seq,
    org_id,
    type: 'flow.updated',
    subject,
    at: '2026-11-15T00:00:00.000Z',
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
