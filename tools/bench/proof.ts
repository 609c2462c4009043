import { parseLedgerProof, parsePolicy, verifyLedgerProof } from '../../packages/transparency/src/index.ts';
import { ask, type Call } from './call.ts';
import { type Installation, install, makeKey } from './installation.ts';
import { compareLatencies, type Filled, ratiosOf } from './latencies.ts';
import { idsAt, loadLedger, type Size, sizeOf } from './proof/load.ts';
import { print } from './rounds.ts';
import { setting } from './settings.ts';

const SMALL = setting('BENCH_SMALL', 10_000);
const LARGE = setting('BENCH_LARGE', 10_000_000);
const CEILING = 1.5;

/** An entry of the journal, evenly over the whole log. */
function anyEntry({ leaves, stride }: Size) {
  return idsAt(Math.floor(Math.random() * Math.ceil(leaves / stride)) * stride);
}

const questions: Readonly<Record<string, (size: Size) => Call>> = {
  proof: (size) => ({ method: 'GET', path: `/ledger/acme/proof?artifact=${anyEntry(size).artifact}` }),
  'proof by entry': (size) => ({ method: 'GET', path: `/ledger/acme/proof?entry=${anyEntry(size).entry}` }),
  tile: ({ leaves }) => ({
    method: 'GET',
    path: `/ledger/acme/tile/0/${tileName(Math.floor((Math.random() * leaves) / 256 - 1))}`,
  }),
  'state of the ledger': () => ({ method: 'GET', path: '/ledger/acme' }),
};

function tileName(index: number): string {
  const groups = String(Math.max(0, index)).padStart(6, '0').match(/.{3}/g) ?? [];
  const needed = groups[0] === '000' ? groups.slice(1) : groups;
  return needed.map((group, i) => (i < needed.length - 1 ? `x${group}` : group)).join('/');
}

/** Compares proofs from a log of 10,000,000 entries with those from one of 10,000. */
export async function benchProof(): Promise<boolean> {
  const installations: Installation[] = [];
  try {
    const small = await prepare(installations, sizeOf(SMALL));
    const large = await prepare(installations, sizeOf(LARGE));
    const servers = [await small.installation.start('api'), await large.installation.start('api')];
    try {
      for (const filled of [small, large]) await verifyOne(filled);
      const ratios = ratiosOf(await compareLatencies(questions, small, large));
      print(JSON.stringify({ name: 'proof', ratios }));
      return (ratios['proof'] ?? Number.POSITIVE_INFINITY) <= CEILING;
    } finally {
      for (const server of servers) await server.stop();
    }
  } finally {
    for (const installation of installations) installation.remove();
  }
}

type Prepared = Filled<Size> & { readonly policy: string };

async function prepare(installations: Installation[], size: Size): Promise<Prepared> {
  const installation = await install();
  installations.push(installation);
  const key = makeKey(installation);
  const started = performance.now();
  const policy = await loadLedger(installation, size);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  print(`${size.leaves.toLocaleString('en')} entries loaded and sealed in ${seconds} s`);
  return { size, installation, key, policy };
}

/** What is measured is a proof that holds. */
async function verifyOne({ installation, key, size, policy }: Prepared): Promise<void> {
  const { entry } = anyEntry(size);
  const { content } = await ask(installation.url, key, { method: 'GET', path: `/ledger/acme/proof?entry=${entry}` });
  const { ok, steps } = await verifyLedgerProof(parseLedgerProof(content), parsePolicy(policy));
  if (!ok) throw new Error(`the proof of ${entry} does not verify: ${JSON.stringify(steps)}`);
  print(`a proof from ${size.leaves.toLocaleString('en')} entries has ${content.length} bytes, and verifies`);
}
