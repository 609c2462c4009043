import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from '@waymark/contract';
import { stateDirectory } from '../../run/config-files.ts';
import type { Session } from '../../run/session.ts';

export type Kind = 'flows' | 'environments' | 'trails' | 'policies' | 'controls';

/** A user won't wait longer for completions. */
const BUDGET_MS = 300;
const FRESH_MS = 60_000;
const MAX_NAMES = 200;

/** Returns names from the service. What does not arrive in time, for whatever reason, is not offered. */
export async function namesOf(session: Session, kind: Kind): Promise<readonly string[]> {
  const { host, org, flow } = session.settings;
  if (host === undefined || org === undefined || (kind === 'trails' && flow === undefined)) return [];
  const cache = cacheFile(session, [host, org, kind, kind === 'trails' ? (flow ?? '') : '']);
  const known = readCache(cache, session.io.now().getTime());
  if (known) return known;
  try {
    const names = await asked(session, kind, { org, flow: flow ?? '' });
    writeCache(session, cache, names);
    return names;
  } catch {
    return [];
  }
}

async function asked(session: Session, kind: Kind, { org, flow }: { org: string; flow: string }): Promise<string[]> {
  const api = await import('@waymark/contract');
  const lists: Readonly<Record<Kind, { contract: Contract; params: Record<string, string> }>> = {
    flows: { contract: api.listFlows, params: { org } },
    environments: { contract: api.listEnvironments, params: { org } },
    trails: { contract: api.listFlowTrails, params: { org, flow_name: flow } },
    policies: { contract: api.listPolicies, params: { org } },
    controls: { contract: api.listControls, params: { org } },
  };
  const { contract, params } = lists[kind];
  // Load time does not count against the service.
  const signal = AbortSignal.any([session.io.signal, AbortSignal.timeout(BUDGET_MS)]);
  const names: string[] = [];
  for await (const item of session.client().items(contract, { params, signal } as never) as AsyncIterable<object>) {
    const { name, identifier } = item as { name?: unknown; identifier?: unknown };
    names.push(String(identifier ?? name));
    if (names.length === MAX_NAMES) break;
  }
  return names;
}

function cacheFile(session: Session, parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
  return join(stateDirectory(session.io), 'completion', `${digest}.json`);
}

function readCache(file: string, now: number): readonly string[] | undefined {
  try {
    if (now - statSync(file).mtimeMs > FRESH_MS) return undefined;
    const names: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined;
  } catch {
    return undefined;
  }
}

/** A name may be confidential, so the cache is readable by this user only. */
function writeCache(session: Session, file: string, names: readonly string[]): void {
  try {
    mkdirSync(join(stateDirectory(session.io), 'completion'), { recursive: true, mode: 0o700 });
    const partial = `${file}.${process.pid}`;
    writeFileSync(partial, JSON.stringify(names), { mode: 0o600 });
    renameSync(partial, file);
  } catch {
    // Fetched again the next time.
  }
}
