import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { dashboards, dashboardText, queriesOf } from '../../../../tools/dashboards/dashboards.ts';
import { metricsPage, readMetrics } from '../../../../tools/metrics-reference/metrics-page.ts';
import { findFreePort } from '../../../../tools/services/port.ts';
import { installPrometheus } from '../../../../tools/services/prometheus.ts';
import { givenInstallation, givenOrg, readiness } from '../faults/installation.ts';
import { putFlow } from '../faults/load.ts';
import { type AtEnd, startServer } from '../faults/processes.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FOLDER = join(ROOT, 'deploy/observability/dashboards');
const RULES = join(ROOT, 'deploy/observability/waymark.rules.yaml');

/**
 * No series exists before the first dead letter, none of a target before something is to be sent, and none of witnesses
 * and time stamps unless the settings name some.
 */
const EMPTY_AT_FIRST = ['journal_dead_letters', 'delivery_due_targets', 'ledger_witness_', 'ledger_time_stamp'];

it('the files of dashboards and the page of metrics are what the code gives', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(Object.keys(dashboards).toSorted());
  for (const [file, dashboard] of Object.entries(dashboards)) {
    expect(readFileSync(join(FOLDER, file), 'utf8'), 'run `pnpm generate`').toBe(dashboardText(dashboard));
  }
  expect(readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8'), 'run `pnpm generate`').toBe(metricsPage());
});

let prometheusUrl = '';
let scraped = '';

/** `afterAll` is not heard inside of a hook. */
const endings: Parameters<AtEnd>[0][] = [];
const atEnd: AtEnd = (ending) => void endings.push(ending);
afterAll(async () => {
  for (const end of endings.toReversed()) await end();
});

beforeAll(async () => {
  const [apiMetrics, workerMetrics] = [await findFreePort(), await findFreePort()];
  const site = await givenInstallation({ atEnd });
  const org = await givenOrg(site.ctx, 'acme');
  const withMetrics = (port: number) => ({ ...site.env, WAYMARK_METRICS_PORT: String(port) });
  await startServer(['api'], withMetrics(apiMetrics), async () => (await readiness(site.url)) === '200', atEnd);
  await startServer(['worker'], withMetrics(workerMetrics), (worker) => worker.log().includes('worker runs'), atEnd);
  const read = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

  prometheusUrl = await startPrometheus({ 'waymark-api': apiMetrics, 'waymark-worker': workerMetrics }, atEnd);
  // A rate needs two samples of a series, with requests in between.
  let flows = 0;
  await until(async () => {
    expect((await putFlow(site.url, org, { name: `flow-${++flows}` })).status).toBe(201);
    expect((await putFlow(site.url, { ...org, name: 'nobody' }, { name: 'flow' })).status).toBe(403);
    for (const status of ['201', '403']) {
      const rate = `rate(http_server_request_duration_seconds_count{status="${status}"}[1m]) > 0`;
      expect(await query(rate)).toHaveLength(1);
    }
  });
  scraped = `${await read(apiMetrics)}\n${await read(workerMetrics)}`;
});

async function startPrometheus(jobs: Record<string, number>, atEnd: AtEnd): Promise<string> {
  const { prometheus } = installPrometheus();
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const config = join(folder, 'prometheus.json');
  const scrapes = Object.entries(jobs).map(([job, port]) => ({
    job_name: job,
    static_configs: [{ targets: [`127.0.0.1:${port}`] }],
  }));
  const global = { scrape_interval: '1s', evaluation_interval: '1s' };
  writeFileSync(config, JSON.stringify({ global, rule_files: [RULES], scrape_configs: scrapes }));
  const port = await findFreePort();
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`];
  const child = spawn(prometheus, [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  atEnd(async () => {
    child.kill();
    await exited;
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
  return url;
}

/** The timeout only ends a test that would wait forever. */
async function until(check: () => Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: 180_000, interval: 500 });
}

/** The series that Prometheus answers with; rejects with what it says is wrong. */
async function query(expr: string): Promise<unknown[]> {
  const answer = await fetch(`${prometheusUrl}/api/v1/query?${new URLSearchParams({ query: expr })}`);
  const { status, error, data } = (await answer.json()) as {
    status: string;
    error?: string;
    data?: { result: unknown[] };
  };
  if (status !== 'success') throw new Error(`${expr}: ${error}`);
  return data?.result ?? [];
}

/** As Grafana fills in its variables. */
function filledIn(expr: string): string {
  return expr.replaceAll('$job', 'waymark.*').replaceAll('$__rate_interval', '1m');
}

const names = readMetrics().map(({ name }) => name);
const namesIn = (expr: string) => names.filter((name) => new RegExp(`\\b${name}(_count|_bucket|_sum)?\\b`).test(expr));

it.each(
  Object.entries(dashboards).flatMap(([file, dashboard]) =>
    queriesOf(dashboard).map(({ panel, expr }) => [file, panel, expr] as const),
  ),
)('%s, %s: Prometheus answers with figures', async (_file, _panel, expr) => {
  expect(namesIn(expr)).not.toEqual([]);
  const series = await query(filledIn(expr));
  const mayBeEmpty = namesIn(expr).some((name) => EMPTY_AT_FIRST.includes(name)) || /status=~"5/.test(expr);
  if (!mayBeEmpty) expect(series).not.toEqual([]);
});

it('every metric of the page is served, and every metric that is served is on the page', () => {
  const served = [...scraped.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  const declared = readMetrics().map(({ name, type }) => `${name} ${type}`);
  const isThere = (metric: string) => EMPTY_AT_FIRST.some((name) => metric.startsWith(name));
  expect(new Set(served).difference(new Set(declared))).toEqual(new Set());
  const missing = declared.filter((metric) => !served.includes(metric) && !isThere(metric));
  expect(missing).toEqual([]);
});

it('Prometheus evaluates every rule, and no alert fires on a server that works', async () => {
  const rules = async () => {
    const answer = await fetch(`${prometheusUrl}/api/v1/rules`);
    const { data } = (await answer.json()) as { data: { groups: { rules: { name: string; health: string }[] }[] } };
    return data.groups.flatMap(({ rules }) => rules);
  };
  await expect.poll(async () => (await rules()).filter(({ health }) => health !== 'ok')).toEqual([]);
  expect((await rules()).length).toBeGreaterThan(20);
  expect(await query('ALERTS{alertstate="firing"}')).toEqual([]);
});

it('every rule uses metrics that exist', () => {
  const rules = readFileSync(RULES, 'utf8');
  const used = [...rules.matchAll(/\b([a-z]+(?:_[a-z]+)+)\{job/g)].map(([, name = '']) => name);
  expect(used.length).toBeGreaterThan(15);
  for (const name of used) expect(names).toContain(name.replace(/_(count|bucket)$/, ''));
});
