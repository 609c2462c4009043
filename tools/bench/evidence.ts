import { loadEvidence } from './evidence/load.ts';
import { explainAll } from './evidence/plans.ts';
import { questions } from './evidence/questions.ts';
import type { Size } from './evidence/rows.ts';
import { type Installation, install, makeKey } from './installation.ts';
import { compareLatencies, type Filled, ratiosOf } from './latencies.ts';
import { print } from './rounds.ts';

const SMALL: Size = { trails: 20, flows: 4 };
const LARGE: Size = { trails: 20_000, flows: 40 };
const CEILING = 3;

/** Compares the latencies of an org with 1,000,000 attestations with those of a nearly empty one. */
export async function benchEvidence(): Promise<boolean> {
  const installations: Installation[] = [];
  try {
    const small = await prepare(installations, SMALL);
    const large = await prepare(installations, LARGE);
    for (const size of sizesOf(large.installation)) print(size);
    const plans = await explainAll(
      large.installation,
      large.key,
      () => Object.values(questions).map((ask) => ask(LARGE)),
      ['attestation', 'artifact', 'trail_commit', 'trail'],
    );
    print(`${plans.statements} statements explained on the large one, ${plans.scans.length} scans`);
    for (const scan of plans.scans) print(`  ${scan}`);
    const ratios = await measureAll(small, large);
    print(JSON.stringify({ name: 'evidence', ratios }));
    return plans.scans.length === 0 && Object.values(ratios).every((ratio) => ratio <= CEILING);
  } finally {
    for (const installation of installations) installation.remove();
  }
}

/** The size of a row, with its indexes and its share of TOAST storage. */
function sizesOf(installation: Installation): string[] {
  return ['trail', 'artifact', 'attestation'].map((table) => {
    const bytes = installation.sql(`select pg_total_relation_size('${table}') / (select count(*) from ${table})`);
    const indexes = installation.sql(`select pg_indexes_size('${table}') / (select count(*) from ${table})`);
    return `${bytes} bytes for each ${table}, ${indexes} of them in indexes`;
  });
}

async function prepare(installations: Installation[], size: Size): Promise<Filled<Size>> {
  const installation = await install();
  installations.push(installation);
  const key = makeKey(installation);
  const started = performance.now();
  await loadEvidence(installation, size);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  print(`${size.trails.toLocaleString('en')} trails loaded in ${seconds} s`);
  return { size, installation, key };
}

async function measureAll(small: Filled<Size>, large: Filled<Size>): Promise<Record<string, number>> {
  const servers = [await small.installation.start('api'), await large.installation.start('api')];
  try {
    return ratiosOf(await compareLatencies(questions, small, large));
  } finally {
    for (const server of servers) await server.stop();
  }
}
