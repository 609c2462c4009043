import { readFile, writeFile } from 'node:fs/promises';
import type { Snapshot } from '../../packages/contract/src/index.ts';
import { REPORTS, type ReportBody } from './running.ts';
import type { DemoOrg } from './seed.ts';
import { ORG, type Place } from './shop.ts';

const EVERY_MS = 5 * 60_000;

/** So that the next start of the demo can report the same. */
export function keepReports(file: string, reports: DemoOrg['lastReports']): Promise<void> {
  return writeFile(file, JSON.stringify(reports));
}

/**
 * Repeats the reports of the demo; otherwise all its environments would go stale. An environment that somebody has
 * changed meanwhile is left alone.
 */
export async function reportOnAndOn(api: { url: string; key: string }, file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const reports = JSON.parse(text) as DemoOrg['lastReports'];
  await reportAgain(api, reports);
  setInterval(() => void reportAgain(api, reports).catch(() => undefined), EVERY_MS).unref();
}

/** Reports once what runs in each environment. */
export async function reportAgain(api: { url: string; key: string }, reports: DemoOrg['lastReports']): Promise<void> {
  for (const [place, body] of Object.entries(reports) as [Place, ReportBody][]) await reportIfSame(api, place, body);
}

async function reportIfSame(api: { url: string; key: string }, place: Place, body: ReportBody): Promise<void> {
  const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${api.url}/api/v2/snapshots/${ORG}/${place}/-1`, { headers });
  if (!answer.ok) return;
  const { artifacts } = (await answer.json()) as Snapshot;
  // A snapshot also lists what stopped in it.
  const running = artifacts.filter(({ annotation }) => annotation.type !== 'exited');
  const runs = new Set(running.map(({ fingerprint }) => fingerprint));
  const reported = new Set(body.artifacts.flatMap(({ digests }) => Object.values(digests)));
  if (runs.symmetricDifference(reported).size > 0) return;
  const kind = REPORTS[place].path.split('/').at(-1);
  const path = `environments/${ORG}/${place}/report/${kind}`;
  await fetch(`${api.url}/api/v2/${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
}
