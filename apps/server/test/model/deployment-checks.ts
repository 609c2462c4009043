import * as contracts from '@waymark/contract';
import { type Checks, compare, found, membersOf, nameFor, type Query } from './asking.ts';
import { activeOf, type Environment, type Flow, type Placed, type Run } from './runtime-model.ts';
import { byText } from './units.ts';

/** Each start of an identified artifact. */
interface Start {
  readonly environment: Environment;
  readonly run: Run;
  readonly at: number;
  /** Its current state, or the last one. */
  readonly last: Placed;
  readonly exitedAt: number | null;
}

/** Newest first. */
function startsIn(environments: readonly Environment[]): Start[] {
  return environments.flatMap(startsOf).sort((a, b) => {
    const later = b.at - a.at || byText(b.environment.id, a.environment.id);
    return later || b.run.no - a.run.no;
  });
}

function startsOf(environment: Environment): Start[] {
  const { runs, snapshots } = environment;
  const last = lastOf(environment);
  const exits = new Map(snapshots.flatMap(({ at, exited }) => exited.map(({ run }) => [run, at] as const)));
  return runs
    .filter(({ fingerprint }) => fingerprint !== '')
    .map((run) => ({
      environment,
      run,
      at: snapshots[run.startedIn - 1]?.at ?? 0,
      last: last.get(run) as Placed,
      exitedAt: exits.get(run) ?? null,
    }));
}

function lastOf({ snapshots }: Environment): Map<Run, Placed> {
  return new Map(snapshots.flatMap(({ running }) => running.map((placed) => [placed.run, placed] as const)));
}

function deploymentView({ environment, run, at, last, exitedAt }: Start): object {
  const [report] = last.provenance;
  const { replaced } = last;
  return {
    environment: environment.name,
    number: run.startedIn,
    fingerprint: run.fingerprint,
    artifact_name: run.name,
    flow_name: report?.flow.name ?? '',
    trail_name: report?.trail ?? '',
    template_reference_name: report?.templateName ?? null,
    git_commit: report?.commit ?? '',
    commit_url: report?.commitUrl ?? '',
    started_at: at / 1000,
    exited_at: exitedAt === null ? null : exitedAt / 1000,
    running: exitedAt === null && !environment.isArchived,
    lead_time_seconds: report?.committedAt == null ? null : at / 1000 - report.committedAt,
    replaced: replaced && {
      fingerprint: replaced.fingerprint,
      artifact_name: replaced.name,
      git_commit: lastOf(environment).get(replaced)?.provenance[0]?.commit ?? '',
      number: replaced.startedIn,
    },
    html_url: `http://waymark.test/acme/environments/${environment.name}/snapshots/${run.startedIn}`,
  };
}

/** Some of one environment, or of all that ever existed, page by page. */
export async function checkDeployments(checks: Checks): Promise<void> {
  const { model, random } = checks;
  const environment = random.chance(0.7) ? random.pick(activeOf(model)) : undefined;
  const flow = !environment && random.chance(0.5) ? random.pick(model.flows) : undefined;
  const starts = startsIn(environment ? membersOf(environment) : model.environments);
  const from = starts.length > 0 && random.chance(0.5) ? random.pick(starts).at : undefined;
  const to = from === undefined ? undefined : from + random.below(50 * 3_600_000);
  const query = {
    per_page: String(random.pick([3, 20, 100])),
    ...(from !== undefined && { from: String(from / 1000), to: String((to ?? 0) / 1000) }),
    ...(flow && { flow_name: flow.name }),
  };
  const expected = starts.filter(
    (start) => (from === undefined || (start.at >= from && start.at <= (to ?? 0))) && isOf(start, flow),
  );
  await checkPages(checks, environment, query, expected, 4);
}

/** All that ever existed, and those of each environment. */
export async function checkAllDeployments(checks: Checks): Promise<void> {
  const { model } = checks;
  const query = { per_page: '100' };
  await checkPages(checks, undefined, query, startsIn(model.environments), Number.POSITIVE_INFINITY);
  for (const environment of activeOf(model)) {
    await checkPages(checks, environment, query, startsIn(membersOf(environment)), Number.POSITIVE_INFINITY);
  }
}

function isOf({ last }: Start, flow: Flow | undefined): boolean {
  return !flow || last.provenance.some((report) => report.flow === flow);
}

async function checkPages(
  checks: Checks,
  environment: Environment | undefined,
  query: Query & { per_page: string },
  starts: readonly Start[],
  pages: number,
): Promise<void> {
  const perPage = Number(query.per_page);
  let after: string | null = null;
  for (let page = 0; page < pages; page++) {
    const asked: Query = { ...query, ...(after !== null && { after }) };
    const answer = environment
      ? await checks.api.call(contracts.listEnvironmentDeployments, {
          params: { env_name: nameFor(checks, environment) },
          query: asked,
        })
      : await checks.api.call(contracts.listDeployments, { query: asked });
    const shown = starts.slice(page * perPage, (page + 1) * perPage).map(deploymentView);
    const { data, pagination } = found(answer) as { data?: unknown; pagination?: { next: string | null } };
    compare(
      `deployments to ${environment?.name ?? 'all'} ${JSON.stringify(query)}, page ${page + 1}`,
      { deployments: shown, hasMore: starts.length > (page + 1) * perPage },
      { deployments: data, hasMore: pagination?.next !== null },
    );
    after = pagination?.next ?? null;
    if (after === null) return;
  }
}
