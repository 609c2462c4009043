import * as contracts from '@waymark/contract';

import { type Checks, compare, found, membersOf, nameFor, type Query } from './asking.ts';
import { snapshotInBrief } from './in-brief.ts';
import { REPOSITORIES } from './operations.ts';
import type { Random } from './random.ts';
import { readCsv } from './read-csv.ts';
import {
  type ArtifactReport,
  complianceOf,
  type Environment,
  flowNamed,
  physicalOf,
  type Snapshot,
} from './runtime-model.ts';
import { byText } from './units.ts';
import {
  A_REASON,
  AUDIT_COLUMNS,
  auditView,
  diffView,
  eventsIn,
  eventView,
  type ModelEvent,
  snapshotView,
  summaryView,
} from './views.ts';

const HOUR = 3_600_000;
const LENGTHS = { hours: HOUR, days: 24 * HOUR, weeks: 7 * 24 * HOUR } as const;

export async function checkEnvironment(checks: Checks, environment: Environment): Promise<void> {
  const { body } = await checks.api.call(contracts.getEnvironment, {
    params: { env_name: nameFor(checks, environment) },
  });
  const { id, name, type, latest_snapshot_index, last_changed_at, included_environments, policies, compliance } =
    body as contracts.Environment;
  const members = membersOf(environment);
  const changes = members.flatMap(({ snapshots }) => snapshots.at(-1)?.at ?? []);
  compare(
    `environment ${environment.name}`,
    {
      id: environment.id,
      name: environment.name,
      type: environment.type,
      latest_snapshot_index: environment.snapshots.length,
      last_changed_at: changes.length > 0 ? Math.max(...changes) / 1000 : null,
      included_environments: namesInOrder(environment.members),
      policies: [...environment.policies].sort(byText),
      compliance: contracts.worstCompliance(
        await Promise.all(members.map((member) => complianceNowOf(checks, member))),
      ),
    },
    { id, name, type, latest_snapshot_index, last_changed_at, included_environments, policies, compliance },
  );
}

/** Members are in the order in which they joined. */
function namesInOrder(members: ReadonlySet<Environment>): string[] {
  return [...members].filter((member) => !member.isArchived).map((member) => member.name);
}

/** The tests of freshness check whether a report is overdue, so the service's value is used. */
async function complianceNowOf(checks: Checks, environment: Environment) {
  const { body } = await checks.api.call(contracts.getEnvironment, {
    params: { env_name: nameFor(checks, environment) },
  });
  const latest = environment.snapshots.at(-1);
  const { stale } = body as contracts.Environment;
  return contracts.complianceNow(latest ? complianceOf(latest) : 'unknown', stale);
}

export function checkSnapshotByNumber(checks: Checks, environment: Environment, snapshot: Snapshot): Promise<void> {
  return checkExpression(checks, environment, `${snapshot.index}`, snapshot);
}

/** By every number that it has, and by the moment it was made and the one after. */
export async function checkSnapshot(checks: Checks, environment: Environment, snapshot: Snapshot): Promise<void> {
  const latest = environment.snapshots.length;
  const { index, at } = snapshot;
  const fromTheEnd = index - latest - 1;
  const numbers = [`${index}`, `#${index}`, `${fromTheEnd}`, `#${fromTheEnd}`, `~${latest - index}`];
  await Promise.all([
    ...numbers.map((expression) => checkExpression(checks, environment, expression, snapshot)),
    checkMoment(checks, environment, Math.floor(at / 1000)),
    checkMoment(checks, environment, Math.ceil(at / 1000)),
  ]);
}

async function checkExpression(
  checks: Checks,
  environment: Environment,
  expression: string,
  snapshot: Snapshot | undefined,
): Promise<void> {
  const name = nameFor(checks, environment);
  const params = { env_name: name, snapshot_expression: expression };
  const answer = await checks.api.call(contracts.getSnapshot, { params });
  compare(
    `snapshot ${name} ${expression}`,
    snapshot ? snapshotView(environment, snapshot) : { status: 404 },
    answer.status === 200 ? snapshotInBrief(answer.body as contracts.Snapshot) : found(answer),
  );
}

function snapshotAt({ snapshots }: Environment, moment: number): Snapshot | undefined {
  return snapshots.findLast(({ at }) => at <= moment);
}

async function checkMoment(checks: Checks, environment: Environment, seconds: number): Promise<void> {
  const text = new Date(seconds * 1000).toISOString().slice(0, '2026-11-01T12:00:00'.length);
  await checkExpression(checks, environment, `@{${text}}`, snapshotAt(environment, seconds * 1000));
}

/** Numbers that do not exist, moments between snapshots, and relative times. */
export async function checkExpressions(checks: Checks, environment: Environment): Promise<void> {
  const { random, model } = checks;
  const latest = environment.snapshots.length;
  await checkExpression(checks, environment, '@{now}', environment.snapshots.at(-1));
  for (const beyond of [`${latest + 1}`, `-${latest + 1}`, `~${latest}`]) {
    await checkExpression(checks, environment, beyond, undefined);
  }
  const unit = random.pick(['hours', 'days', 'weeks', 'months'] as const);
  const amount = random.between(1, unit === 'hours' ? 400 : 9);
  const moment = unit === 'months' ? monthsBefore(model.now, amount) : model.now - amount * LENGTHS[unit];
  await checkExpression(checks, environment, `@{${amount}.${unit}.ago}`, snapshotAt(environment, moment));
  const [first, last] = [environment.snapshots[0], environment.snapshots.at(-1)];
  if (!first || !last) return;
  await checkMoment(checks, environment, random.between(Math.floor(first.at / 1000) - 5, Math.ceil(last.at / 1000)));
}

/** The same day and time of day, or the last day of a month that is too short. */
function monthsBefore(now: number, amount: number): number {
  const then = new Date(now);
  const day = then.getUTCDate();
  then.setUTCDate(1);
  then.setUTCMonth(then.getUTCMonth() - amount);
  const days = new Date(Date.UTC(then.getUTCFullYear(), then.getUTCMonth() + 1, 0)).getUTCDate();
  return then.setUTCDate(Math.min(day, days));
}

interface Bounds {
  readonly text: string;
  /** Undefined when the text must be refused. */
  readonly range: readonly [number, number] | undefined;
}

function randomInterval(random: Random, latest: number): Bounds {
  if (random.chance(0.2)) return { text: '', range: [1, latest] };
  const from = randomBound(random, latest, 1);
  const to = randomBound(random, latest, latest);
  const isOpen = to.text === '' || to.text === 'NOW';
  const isRefused = from.index > to.index && !isOpen;
  return {
    text: `${from.text}..${to.text}`,
    range: isRefused ? undefined : [from.index, to.index],
  };
}

function randomBound(random: Random, latest: number, absent: number): { text: string; index: number } {
  const number = random.between(1, latest + 3);
  switch (random.pick(['index', 'behind', 'negative', 'now', 'none'] as const)) {
    case 'index':
      return { text: `${number}`, index: number };
    case 'behind':
      return { text: `~${number - 1}`, index: latest - number + 1 };
    case 'negative':
      return { text: `-${number}`, index: latest - number + 1 };
    case 'now':
      return { text: 'NOW', index: latest };
    default:
      return { text: '', index: absent };
  }
}

export async function checkList(checks: Checks, environment: Environment): Promise<void> {
  const { api, model, random } = checks;
  const interval = randomInterval(random, environment.snapshots.length);
  const isOldestFirst = random.chance(0.5);
  const { query: paging, page, perPage } = randomPaging(random, environment.snapshots.length);
  const query = { ...paging, interval: interval.text, reverse: isOldestFirst ? 'true' : '' };
  const answer = await api.call(contracts.listSnapshots, { params: { env_name: nameFor(checks, environment) }, query });
  const listed = environment.snapshots.filter(({ index }) => isInside(index, interval.range));
  if (!isOldestFirst) listed.reverse();
  const expected = listed
    .slice((page - 1) * perPage, page * perPage)
    .map((snapshot) => summaryView(environment, snapshot, model.now));
  compare(
    `snapshots of ${environment.name} ${JSON.stringify(query)}`,
    interval.range ? expected : { status: 400 },
    found(answer),
  );
}

function isInside(index: number, range: Bounds['range']): boolean {
  return range !== undefined && index >= range[0] && index <= range[1];
}

function randomPaging(random: Random, total: number): { query: Query; page: number; perPage: number } {
  if (random.chance(0.3)) return { query: {}, page: 1, perPage: 15 };
  const perPage = random.pick([1, 2, 7, 30, 100]);
  const page = random.between(1, Math.ceil(total / perPage) + 1);
  return { query: { page: String(page), per_page: String(perPage) }, page, perPage };
}

/** Any two snapshots, of any environments. */
export async function checkDiff(checks: Checks): Promise<void> {
  const { api, model, random } = checks;
  const environments = physicalOf(model).filter(({ snapshots }) => snapshots.length > 0);
  if (environments.length === 0) return;
  const [a, b] = [randomSnappish(checks, environments), randomSnappish(checks, environments)];
  const [one, other] = random.chance(0.5) ? [a, b] : [a, { ...a, ...neighbourOf(checks, a) }];
  const query = { snappish1: one.text, snappish2: other.text };
  const answer = await api.call(contracts.diffSnapshots, { query });
  const idOf = ({ environment, snapshot }: typeof a) => ({ id: `${environment.name}#${snapshot.index}`, snapshot });
  compare(`diff ${JSON.stringify(query)}`, diffView(idOf(one), idOf(other)), found(answer));
}

interface Snappish {
  readonly environment: Environment;
  readonly snapshot: Snapshot;
  readonly text: string;
}

function randomSnappish(checks: Checks, environments: readonly Environment[]): Snappish {
  const environment = checks.random.pick(environments);
  return snappishOf(checks, environment, checks.random.pick(environment.snapshots));
}

function neighbourOf(checks: Checks, { environment, snapshot }: Snappish): Snappish {
  return snappishOf(checks, environment, environment.snapshots[snapshot.index - 2] ?? snapshot);
}

function snappishOf(checks: Checks, environment: Environment, snapshot: Snapshot): Snappish {
  const latest = environment.snapshots.length;
  const forms = [`#${snapshot.index}`, `~${latest - snapshot.index}`, `#${snapshot.index - latest - 1}`];
  if (snapshot.index === latest) forms.push('');
  return { environment, snapshot, text: `${nameFor(checks, environment)}${checks.random.pick(forms)}` };
}

interface Window {
  readonly query: Query;
  /** Undefined when the window must be refused. */
  readonly has: ((event: ModelEvent) => boolean) | undefined;
}

const everything: Window = { query: {}, has: () => true };

function randomWindow(checks: Checks, environment: Environment): Window {
  const { random } = checks;
  const isLogical = environment.type === 'logical';
  switch (random.pick(['all', 'times', 'ago', ...(isLogical ? [] : ['indexes', 'interval'])])) {
    case 'times':
      return timeWindow(
        checks,
        environment,
        random.pick([
          ['start_ts', 'end_ts'],
          ['from', 'to'],
        ] as const),
      );
    case 'ago':
      return agoWindow(checks);
    case 'indexes':
      return indexWindow(random, environment.snapshots.length);
    case 'interval': {
      const { text, range } = randomInterval(random, environment.snapshots.length);
      return { query: { interval: text }, has: range && (({ snapshot }) => isInside(snapshot.index, range)) };
    }
    default:
      return everything;
  }
}

/** Of a snapshot, or close to it. */
function randomMoment({ model, random }: Checks, environment: Environment): number {
  const snapshots = membersOf(environment).flatMap((member) => member.snapshots);
  return (snapshots.length > 0 ? random.pick(snapshots).at : model.now) + random.between(-1, 1);
}

function timeWindow(checks: Checks, environment: Environment, [start, end]: readonly [string, string]): Window {
  const { random } = checks;
  const from = random.chance(0.8) ? randomMoment(checks, environment) : undefined;
  const to = random.chance(0.8) ? randomMoment(checks, environment) : undefined;
  const query = {
    ...(from !== undefined && { [start]: String(from / 1000) }),
    ...(to !== undefined && { [end]: String(to / 1000) }),
  };
  return { query, has: between(from, to) };
}

function between(from: number | undefined, to: number | undefined): Window['has'] {
  if (from !== undefined && to !== undefined && from > to) return undefined;
  return ({ snapshot: { at } }) => (from === undefined || at >= from) && (to === undefined || at <= to);
}

function agoWindow({ model, random }: Checks): Window {
  const [hours, days] = [random.between(1, 300), random.between(1, 10)];
  const isUntilNow = random.chance(0.5);
  const query = { start: `${hours}h`, end: isUntilNow ? 'NOW' : `${days}days` };
  return { query, has: between(model.now - hours * HOUR, isUntilNow ? model.now : model.now - days * LENGTHS.days) };
}

function indexWindow(random: Random, latest: number): Window {
  const pick = () => random.between(1, latest + 2) * (random.chance(0.3) ? -1 : 1);
  const [start, end] = [pick(), pick()];
  const query = { start: String(start), end: String(end) };
  if (start > 0 === end > 0 && start > end) return { query, has: undefined };
  const resolved = (index: number) => (index < 0 ? latest + 1 + index : index);
  return { query, has: ({ snapshot }) => isInside(snapshot.index, [resolved(start), resolved(end)]) };
}

export async function checkEvents(checks: Checks, environment: Environment): Promise<void> {
  const { random } = checks;
  const window = randomWindow(checks, environment);
  const repositories = random.chance(0.25) ? random.shuffled(REPOSITORIES).slice(0, random.between(1, 2)) : [];
  const isOldestFirst = random.chance(0.5);
  const inWindow = eventsIn(membersOf(environment)).filter(
    (event) => window.has?.(event) && isOfAny(event.placed.provenance, repositories),
  );
  if (!isOldestFirst) inWindow.reverse();
  const paging = randomPaging(random, inWindow.length);
  const query = {
    ...window.query,
    ...paging.query,
    ...(repositories.length > 0 && { repo_name: repositories }),
    ...(isOldestFirst && { reverse: 'true' }),
  };
  await checkEventPage(checks, environment, query, window.has && inWindow, paging.page, paging.perPage);
}

function isOfAny(provenance: readonly ArtifactReport[], repositories: readonly string[]): boolean {
  return repositories.length === 0 || provenance.some(({ repository }) => repositories.includes(repository ?? ''));
}

async function checkEventPage(
  checks: Checks,
  environment: Environment,
  query: Query,
  events: readonly ModelEvent[] | undefined,
  page: number,
  perPage: number,
): Promise<void> {
  const params = { env_name: nameFor(checks, environment) };
  const answer = await checks.api.call(contracts.listEnvironmentEvents, { params, query });
  const question = `events of ${environment.name} ${JSON.stringify(query)}`;
  if (!events) return compare(question, { status: 400 }, found(answer));
  const shown = found(answer);
  const withoutWords = Array.isArray(shown)
    ? (shown as contracts.EnvironmentEvent[]).map(({ description: _, _links, ...event }) => event)
    : shown;
  compare(
    question,
    {
      total: String(events.length),
      pages: String(Math.ceil(events.length / perPage)),
      events: events.slice((page - 1) * perPage, page * perPage).map(eventView),
    },
    { total: answer.headers['x-total-count'], pages: answer.headers['x-total-pages'], events: withoutWords },
  );
}

/** All pages, in both directions. */
export async function checkAllEvents(checks: Checks, environment: Environment): Promise<void> {
  const oldestFirst = eventsIn(membersOf(environment));
  for (const [reverse, events] of [
    ['true', oldestFirst],
    ['', oldestFirst.toReversed()],
  ] as const) {
    for (let page = 1; (page - 1) * 100 <= events.length; page++) {
      const query = { reverse, page: String(page), per_page: '100' };
      await checkEventPage(checks, environment, query, events, page, 100);
    }
  }
}

export async function checkAuditLog(checks: Checks, environment: Environment, isWhole = false): Promise<void> {
  const { api, random, model } = checks;
  const pick = (chance: number) => !isWhole && random.chance(chance);
  const times = pick(0.5) ? timeWindow(checks, environment, ['from_timestamp', 'to_timestamp']) : everything;
  const kinds = pick(0.3) ? random.shuffled(['started', 'exited', 'changed']).slice(0, random.between(1, 2)) : [];
  const flows = pick(0.3) ? random.shuffled(['web', 'api', 'old-api', 'no provenance', 'nowhere']).slice(0, 2) : [];
  const repositories = pick(0.3) ? random.shuffled(REPOSITORIES).slice(0, 1) : [];
  const query = {
    ...times.query,
    ...(kinds.length > 0 && { event_types: kinds.join() }),
    ...(flows.length > 0 && { flow_names: flows.join() }),
    ...(repositories.length > 0 && { repo_names: repositories.join() }),
  };
  const params = { env_name: nameFor(checks, environment) };
  const answer = await api.call(contracts.getAuditLog, { params, query });
  const question = `audit log of ${environment.name} ${JSON.stringify(query)}`;
  if (!times.has) return compare(question, { status: 400 }, found(answer));
  const wanted = new Set(flows.map((name) => flowNamed(model, name)));
  const lines = eventsIn(membersOf(environment))
    .filter((event) => times.has?.(event) && (kinds.length === 0 || kinds.includes(event.kind)))
    .flatMap((event) => {
      const { provenance } = event.placed;
      const inFlow = ({ flow }: ArtifactReport) => flows.length === 0 || wanted.has(flow);
      const inRepository = (report: ArtifactReport) => isOfAny([report], repositories);
      if (provenance.length === 0) {
        const isWanted = repositories.length === 0 && (flows.length === 0 || flows.includes('no provenance'));
        return isWanted ? [auditView(event)] : [];
      }
      if (!(provenance.some(inFlow) && provenance.some(inRepository))) return [];
      return [auditView(event, provenance.find((report) => inFlow(report) && inRepository(report)) ?? provenance[0])];
    });
  const text = found(answer);
  const shown = typeof text === 'string' ? readCsv(text).map(withoutReason) : text;
  compare(question, [AUDIT_COLUMNS.split(','), ...lines], shown);
}

const REASON = AUDIT_COLUMNS.split(',').indexOf('reason');

function withoutReason(cells: readonly string[], line: number): readonly string[] {
  return line === 0 || !cells[REASON] ? cells : cells.with(REASON, A_REASON);
}
