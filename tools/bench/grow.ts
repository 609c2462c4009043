import { hash } from 'node:crypto';
import type { Call } from './call.ts';
import { type Installation, install, makeKey } from './installation.ts';
import { compareLatencies, type Filled, ratiosOf } from './latencies.ts';
import { print } from './rounds.ts';
import { type Current, currentsOf } from './runtime/current.ts';
import {
  countsIn,
  type LoadedProvenance,
  loadEnvironments,
  loadProvenance,
  orgOf,
  runsOf,
  type Shape,
  settle,
  withoutIndexes,
} from './runtime/load.ts';
import { setting } from './settings.ts';

const SMALL_ROWS = setting('BENCH_SMALL_ROWS', 1_000_000);
const LARGE_ROWS = setting('BENCH_LARGE_ROWS', 10_000_000);
const CEILING = 1.5;
/** The number of environments with reports, spread over all of them. */
const REPORTED = 1_000;

const NAMES = ['unit-tests', 'dependencies', 'quality-gate', 'licences', 'risk-review'];

/** The number of rows in all tables together. */
interface Size extends LoadedProvenance {
  readonly shape: Shape;
  readonly entries: number;
}

interface Known extends Size {
  readonly currents: readonly Current[];
}

/**
 * Of each 1,000 rows: 300 entries of the journal, 50 trails with 3 rows and 5 attestations each, and an environment with
 * 11 snapshots and 70 runs of 3 rows and an artifact each. A flow for every 2,000.
 */
function sizeOf(rows: number): Size {
  const environments = Math.ceil(rows / 1_000);
  return {
    shape: { prefix: 'env', environments, slots: 50, snapshots: 11, replaced: 2 },
    flows: Math.ceil(rows / 2_000),
    trails: Math.ceil(rows / 20),
    entries: Math.ceil(rows * 0.3),
  };
}

const questions: Readonly<Record<string, (known: Known) => Call>> = {
  trail: (known) => {
    const trail = any(known.trails);
    return get(`/trails/acme/flow-${trail % known.flows}/build-${trail}`);
  },
  artifact: ({ shape, trails, flows }) => {
    const artifact = 1 + any(shape.environments * runsOf(shape));
    const flow = (artifact % trails) % flows;
    return get(`/artifacts/acme/flow-${flow}/fingerprint/${hash('sha256', `artifact ${artifact}`)}`);
  },
  environment: ({ shape }) => get(`/environments/acme/env-${1 + any(shape.environments)}`),
  snapshot: ({ shape }) => get(`/snapshots/acme/env-${1 + any(shape.environments)}/-1`),
  events: ({ shape }) => get(`/environments/acme/env-${1 + any(shape.environments)}/events`),
  // The others write.
  report_same: ({ currents }) => one(currents).same(),
  report_changed: ({ currents }) => one(currents).changed(),
  attest: ({ trails, flows }) => {
    const trail = any(trails);
    return {
      method: 'POST',
      path: `/attestations/acme/flow-${trail % flows}/trail/build-${trail}/generic`,
      body: {
        attestation_name: one(NAMES),
        is_compliant: true,
        description: 'Reported by the build of main, after the last step of the stage was done.',
        user_data: { build: `https://ci.example.com/acme/builds/${trail}`, duration: 302.4 },
      },
    };
  },
  flow: () => ({
    method: 'PUT',
    path: '/flows/acme',
    body: { name: `new-${process.hrtime.bigint()}`, description: 'bench', template: 'version: 1' },
  }),
};

/** Measures the latencies with ten times the rows. */
export async function benchGrow(): Promise<boolean> {
  const installations: Installation[] = [];
  const servers: { stop(): Promise<void> }[] = [];
  try {
    const filled: Filled<Known>[] = [];
    for (const rows of [SMALL_ROWS, LARGE_ROWS]) {
      const { installation, key } = await load(installations, sizeOf(rows));
      servers.push(await installation.start('api'));
      const size = sizeOf(rows);
      const currents = await currentsOf(installation, key, reported(size));
      settle(installation);
      filled.push({ installation, key, size: { ...size, currents } });
    }
    const [small, large] = filled as [Filled<Known>, Filled<Known>];
    const ratios = ratiosOf(await compareLatencies(questions, small, large));
    print(JSON.stringify({ name: 'grow', ratios }));
    return Object.values(ratios).every((ratio) => ratio <= CEILING);
  } finally {
    for (const server of servers) await server.stop();
    for (const installation of installations) installation.remove();
  }
}

async function load(installations: Installation[], size: Size): Promise<{ installation: Installation; key: string }> {
  const installation = await install();
  installations.push(installation);
  const key = makeKey(installation);
  const started = performance.now();
  loadProvenance(installation, size);
  loadEnvironments(installation, size.shape, size);
  loadAttestations(installation, size);
  loadEntries(installation, size);
  settle(installation);
  const bytes = installation.sql(`select pg_size_pretty(pg_database_size('${installation.database}'))`);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  print(`${countsIn(installation, TABLES)}: ${bytes}, loaded in ${seconds} s`);
  return { installation, key };
}

const TABLES = [
  ...['attestation', 'artifact', 'trail', 'trail_event', 'trail_commit', 'flow', 'journal'],
  ...['environment', 'snapshot', 'running', 'running_instances', 'running_verdict'],
];

function loadAttestations(installation: Installation, { trails, flows }: Size): void {
  const content = `json_build_object('attestation_name', name, 'is_compliant', true,
    'description', 'Reported by the build of main', 'user_data', json_build_object('build', trail))::text`;
  withoutIndexes(installation, ['attestation'], () =>
    installation.sql(`
    insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, trust, content, verdict,
      created_at, created_by)
    select '${orgOf(installation)}', md5(name || ' ' || trail)::uuid, md5('flow ' || trail % ${flows})::uuid,
      md5('trail ' || trail)::uuid, name, 'generic', 'generic', true, 'api_key', ${content},
      '{"judged_by":{"verdict":"verdict/1"},"read":null,"reasons":[]}',
      now() - interval '300 days' + trail * interval '1 second', 'ada'
    from generate_series(0, ${trails - 1}) as trail, unnest(array['${NAMES.join(`', '`)}']) as name`),
  );
}

/** All in this month, into which new ones are written. */
function loadEntries(installation: Installation, { entries }: Size): void {
  installation.sql(`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, payload, nonce, payload_digest)
    select '${orgOf(installation)}', gen_random_uuid(),
      date_trunc('month', now()) + (now() - date_trunc('month', now())) * (i / ${entries}.0), 'flow.updated', 1, 'system',
      'bench', 'flow', md5('flow ' || i)::uuid, 1, '{"name":"bench","description":"' || repeat('x', 60) || '"}',
      decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
    from generate_series(1, ${entries}) as i`);
}

function reported({ shape }: Size): string[] {
  const step = Math.max(1, Math.floor(shape.environments / REPORTED));
  const count = Math.min(REPORTED, shape.environments);
  return Array.from({ length: count }, (_, i) => `env-${1 + i * step}`);
}

function get(path: string): Call {
  return { method: 'GET', path };
}

function any(count: number): number {
  return Math.floor(Math.random() * count);
}

function one<T>(items: readonly T[]): T {
  return items[any(items.length)] as T;
}
