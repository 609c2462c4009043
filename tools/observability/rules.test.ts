import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { installPrometheus } from '../services/prometheus.ts';
import { ALERT_CASES, HEALTHY } from './alert-cases.ts';

const ROOT = join(import.meta.dirname, '../..');
const RULES = join(ROOT, 'deploy/observability/waymark.rules.yaml');

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { name: string; rules: Rule[] }[] };
const alerts = groups.flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined));

let promtool = '';
beforeAll(() => {
  promtool = installPrometheus().promtool;
});

function run(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

it('promtool accepts the rules and the example of a configuration', () => {
  expect(run('check', 'rules', '--lint=all', '--lint-fatal', RULES)).toMatchObject({ status: 0 });
  const config = join(ROOT, 'deploy/observability/prometheus.yaml');
  expect(run('check', 'config', config)).toMatchObject({ status: 0 });
});

/** Runs promtool's own test of one set of figures. It compares labels and rendered annotations as well. */
function testFigures(series: Readonly<Record<string, string>>, expected: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'case.json');
  const input = Object.entries({ ...HEALTHY, ...series }).map(([name, values]) => ({ series: name, values }));
  const test = { interval: '1m', input_series: input, alert_rule_test: expected };
  // Without an order, promtool takes any, and an alert may see what was recorded a minute earlier.
  const order = { group_eval_order: groups.map(({ name }) => name) };
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', ...order, tests: [test] }));
  const { status, output } = run('test', 'rules', file);
  return status === 0 ? 'passes' : output;
}

it('no alert fires while all is well', () => {
  const quiet = alerts.map(({ alert }) => ({ eval_time: '50m', alertname: alert, exp_alerts: [] }));
  expect(testFigures({}, quiet)).toBe('passes');
});

it.each(ALERT_CASES.map((given) => [given.alert, Object.keys(given.series)[0], given] as const))(
  '%s fires when its time has come: %s',
  (alert, _, { series, summary, quietAt, firesAt, labels }) => {
    const rule = alerts.find((rule) => rule.alert === alert);
    const fires = {
      exp_labels: { ...rule?.labels, ...labels },
      exp_annotations: { ...rule?.annotations, summary },
    };
    const expected = [
      { eval_time: quietAt, alertname: alert, exp_alerts: [] },
      { eval_time: firesAt, alertname: alert, exp_alerts: [fires] },
    ];
    expect(testFigures(series, expected)).toBe('passes');
  },
);

it('each alert has a test, a severity, and a section in the runbooks that its URL leads to', () => {
  const runbooks = readFileSync(join(ROOT, 'docs/runbooks.md'), 'utf8');
  const sections = [...runbooks.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(alerts.map(({ alert }) => alert));
  expect(new Set(ALERT_CASES.map(({ alert }) => alert))).toEqual(new Set(sections));
  for (const { alert = '', labels, annotations } of alerts) {
    expect(['page', 'ticket']).toContain(labels?.['severity']);
    expect(annotations?.['summary']).toBeTruthy();
    const url = `https://github.com/waymark/waymark/blob/main/docs/runbooks.md#${alert.toLowerCase()}`;
    expect(annotations?.['runbook_url']).toBe(url);
  }
});
