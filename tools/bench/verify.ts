import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ED25519, formatSigningKey, signingKey } from '../../packages/transparency/src/index.ts';
import { buildPackage } from '../release/build-cli.ts';
import { ask } from './call.ts';
import { type Installation, install, makeKey, run, serviceRoots } from './installation.ts';
import { median, print, round2, untilQuiet } from './rounds.ts';
import { setting } from './settings.ts';

const ROUNDS = setting('BENCH_ROUNDS', 21);
const ATTESTATIONS = setting('BENCH_ATTESTATIONS', 50);
const CEILING_MS = 100;
const SEALED_WITHIN_MS = 60_000;

/** The CPU time of verifying a package with its proofs, beyond that of starting the command. */
export async function benchVerify(): Promise<boolean> {
  const out = mkdtempSync(join(tmpdir(), 'waymark-bench-verify-'));
  const key = formatSigningKey(await signingKey('waymark.bench', ED25519, randomBytes(32)));
  process.env['WAYMARK_LEDGER_KEY'] = key;
  process.env['WAYMARK_LEDGER_NAME'] = 'waymark.bench';
  const installation = await install();
  const [api, worker] = [await installation.start('api'), await installation.start('worker')];
  try {
    await buildPackage(join(out, 'npm'));
    const program = join(out, 'npm/dist/waymark.js');
    const [file, policy] = [join(out, 'package.tgz'), join(out, 'trust.txt')];
    await exportPackage(installation, file, policy);
    const verify = [program, 'verify', file, '--policy', policy];
    const rounds: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const once = async () => cpuOf(verify) - cpuOf([program, 'verify', '--help']);
      rounds.push(
        await untilQuiet([...serviceRoots(), api.pid, worker.pid], once, (ms, others) =>
          print(`${String(round).padStart(5)}  ${ms.toFixed(0)} ms  ${others}`),
        ),
      );
    }
    const ms = round2(median(rounds));
    print(JSON.stringify({ name: 'verify', attestations: ATTESTATIONS, cpu_ms: ms, ceiling_ms: CEILING_MS }));
    return ms <= CEILING_MS;
  } finally {
    await worker.stop();
    await api.stop();
    installation.remove();
    rmSync(out, { recursive: true });
  }
}

/** A trail with attestations about one artifact, and the policy to verify its package with. */
async function exportPackage(installation: Installation, file: string, policy: string): Promise<void> {
  const key = makeKey(installation);
  const { url } = installation;
  const names = Array.from({ length: ATTESTATIONS }, (_, i) => `check-${i}`);
  const slots = names.map((name) => `    - { name: ${name}, type: generic }`).join('\n');
  const template = `version: 1\ntrail:\n  attestations:\n${slots}\n`;
  await ask(url, key, { method: 'PUT', path: '/flows/acme', body: { name: 'shop', template } });
  await ask(url, key, { method: 'PUT', path: '/trails/acme/shop', body: { name: 'release-1' } });
  for (const name of names) {
    const body = { attestation_name: name, is_compliant: true, user_data: { round: 1, notes: 'x'.repeat(200) } };
    await ask(url, key, { method: 'POST', path: '/attestations/acme/shop/trail/release-1/generic', body });
  }
  const headers = { authorization: `Bearer ${key}` };
  const until = performance.now() + SEALED_WITHIN_MS;
  for (;;) {
    const trust = await fetch(`${url}/api/v2/region-log/trust-policy`, { headers });
    const packed = await fetch(`${url}/api/v2/trails/acme/shop/release-1/audit_package`, { headers });
    if (!packed.ok) throw new Error(`${packed.status} ${await packed.text()}`);
    const bytes = Buffer.from(await packed.arrayBuffer());
    writeFileSync(file, bytes);
    if (trust.ok && run('tar', ['-tzf', file]).includes('ledger/entries.ndjson')) {
      writeFileSync(policy, await trust.text());
      return;
    }
    if (performance.now() > until) throw new Error('the attestations were not sealed');
    await sleep(500);
  }
}

/** User and system time of a program of Node, in milliseconds. */
function cpuOf(line: readonly string[]): number {
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null; } 2>&1';
  const times =
    run('bash', ['-c', script, '--', process.execPath, ...line])
      .split('\n')
      .at(-1) ?? '';
  const [user = Number.NaN, system = Number.NaN] = times.split(' ').map(Number);
  return (user + system) * 1000;
}
