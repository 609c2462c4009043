import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import pg from 'pg';
import { endpoints } from '../services/endpoints.ts';
import { install, serviceRoots } from './installation.ts';
import { compare } from './rounds.ts';

const ENTRIES = 20_000;
const LANES = 64;
const ROUNDS = 5;
const FLOOR = 0.5;
/** The concurrency of the publisher: 128 per lane. */
const IN_FLIGHT = 8_192;

/**
 * From the commit of a burst until every entry is in order, published with acknowledgement, and applied by every
 * processor, against a bare loop that only publishes.
 */
export async function benchEvents(): Promise<boolean> {
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
      name: 'events',
      rounds: ROUNDS,
      roots: serviceRoots(),
      ours: { name: 'order, publish, process', measure: () => burst(db) },
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

async function burst(db: pg.Client): Promise<number> {
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

/** Until every entry is in order and published, and every processor has committed what follows from it. */
async function untilDone(db: pg.Client): Promise<void> {
  for (let attempt = 0; attempt < 6_000; attempt++) {
    const { rows } = await db.query<{ done: boolean }>(`
      select (select count(*) from journal) = (select count(*) from ledger) and bool_and(reached.position = head.position) as done
      from lane_head as head join (
        select lane, position from processor_position union all select lane, position from event_cursor
      ) as reached using (lane)`);
    if (rows[0]?.done) return;
    await pause(10);
  }
  throw new Error('sequencer, publisher and processors did not catch up');
}

/** The same number of events of the same size, with acknowledgement and the same number under way. */
async function publishBare(nats: NatsConnection, stream: string): Promise<number> {
  const manager = await jetstreamManager(nats);
  await manager.streams.add({ name: stream, subjects: [`${stream}.*`], duplicate_window: 120 * 1e9 });
  const client = jetstream(nats);
  const started = performance.now();
  for (let sent = 0; sent < ENTRIES; sent += IN_FLIGHT) {
    const batch = Array.from({ length: Math.min(IN_FLIGHT, ENTRIES - sent) }, (_, i) => {
      const id = randomUUID();
      return client.publish(`${stream}.${i % LANES}`, event(id, sent + i), { msgID: id });
    });
    await Promise.all(batch);
  }
  return ENTRIES / ((performance.now() - started) / 1000);
}

function event(id: string, index: number): string {
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: '/eu/01a1dcbd-b181-7a6f-95a6-99de8b17055a',
    type: 'waymark.flow.updated',
    subject: 'flow/01a1dcbd-cad7-7bed-8bab-abac6871c132',
    time: '2026-11-15T00:00:00.000Z',
    datacontenttype: 'application/json',
    index,
    life: 1,
    data: { actor: 'bench' },
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
