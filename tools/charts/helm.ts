import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { installPython, pythonPrograms } from '../services/python.ts';
import type { Manifest } from './manifest.ts';

export const CHARTS = join(import.meta.dirname, '../../deploy/helm');

/** Of Kubernetes, against which rendered objects are validated. */
const VERSION = '1.36';

/** Kinds that operators define, and whose schemas the validator does not have. */
const DEFINED_ELSEWHERE = ['monitoring.coreos.com/', 'gateway.networking.k8s.io/', 'postgresql.cnpg.io/'];

export type Chart = 'waymark' | 'waymark-reporter';
export type Values = Readonly<Record<string, unknown>>;

const PROGRAMS = pythonPrograms('charts');
export const HELM = join(PROGRAMS, 'helm');

/** Installs Helm and kubernetes-validate. */
export async function installChartTools(): Promise<void> {
  await installPython('charts', join(import.meta.dirname, 'requirements.txt'));
}

/** Calls Helm with values in a file, as most people do. It is JSON, because Helm reads `off` in YAML as false. */
function helm(values: Values, args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'chart-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return spawnSync(HELM, [...args, '--values', file], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Throws with what Helm finds fault with. */
export function lint(chart: Chart, values: Values): void {
  const { status, stdout, stderr } = helm(values, ['lint', '--strict', join(CHARTS, chart)]);
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}

export function render(chart: Chart, values: Values, release = chart as string): Manifest[] {
  const args = ['template', release, join(CHARTS, chart), '--namespace', 'ops', '--kube-version', VERSION];
  const { status, stdout, stderr } = helm(values, args);
  if (status !== 0) throw new Error(stderr);
  const documents = parseAllDocuments(stdout);
  if (!Array.isArray(documents)) throw new Error('the chart renders nothing');
  const broken = documents.flatMap(({ errors }) => errors);
  if (broken.length > 0) throw broken[0];
  return documents.map((document) => document.toJS() as Manifest).filter((manifest) => manifest !== null);
}

/** Throws unless Kubernetes would accept all of them. Equal objects are validated once. */
export function validate(manifests: readonly Manifest[]): void {
  const known = manifests.filter(({ apiVersion }) => !DEFINED_ELSEWHERE.some((group) => apiVersion.startsWith(group)));
  const texts = new Set(known.map((manifest) => JSON.stringify(manifest)));
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  try {
    const file = join(folder, 'all.yaml');
    writeFileSync(file, [...texts].join('\n---\n'));
    const args = ['--strict', '--quiet', '--kubernetes-version', VERSION, file];
    const { status, stdout, stderr } = spawnSync(join(PROGRAMS, 'kubernetes-validate'), args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
