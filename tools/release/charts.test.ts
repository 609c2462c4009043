import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { version } from '../../apps/cli/src/run/version.ts';
import { HELM, installChartTools } from '../charts/helm.ts';
import { packCharts, pushChart, verifyPulledChart } from './charts.ts';
import { startOciRegistry } from './oci-registry.ts';
import { findProgram } from './programs.ts';

const out = mkdtempSync(join(tmpdir(), 'charts-'));
afterAll(() => rmSync(out, { recursive: true }));

const charts = packCharts(out);
const oras = await findProgram('oras');
const registry = await startOciRegistry();
afterAll(() => registry.stop());
const to = { charts: `${registry.host}/waymark/charts`, isPlainHttp: true };
await installChartTools();

it('pushes charts that Helm pulls by name and version, byte for byte', () => {
  expect(charts.map(({ name }) => name)).toEqual(['waymark-reporter', 'waymark']);
  for (const chart of charts) {
    expect(chart.version).toBe(version);
    const digest = pushChart(oras, out, chart, to);
    verifyPulledChart(HELM, out, chart, { ...to, digest });
  }
});

it('notices a chart that was replaced, one that was changed, and one that is missing', () => {
  const [chart] = charts;
  if (chart === undefined) throw new Error('there is no chart');
  const digest = pushChart(oras, out, chart, to);
  const path = join(out, chart.file);
  const content = readFileSync(path);
  writeFileSync(path, Buffer.concat([content, Buffer.from('\n')]));
  expect(() => verifyPulledChart(HELM, out, chart, { ...to, digest })).toThrow('whose bytes are not those of');
  const other = pushChart(oras, out, chart, to);
  expect(() => verifyPulledChart(HELM, out, chart, { ...to, digest })).toThrow(
    `than was pushed: ${other}, not ${digest}`,
  );
  const elsewhere = { charts: `${registry.host}/nowhere`, isPlainHttp: true, digest };
  expect(() => verifyPulledChart(HELM, out, chart, elsewhere)).toThrow("Helm couldn't pull the chart waymark");
  writeFileSync(path, content);
});
