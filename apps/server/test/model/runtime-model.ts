import type { ArtifactBody } from './operations.ts';
import { byNameAndFingerprint, byText, type Content, contentsOf, type PhysicalType, type Unit } from './units.ts';
import {
  type Attestation,
  areSame,
  counted,
  type Demand,
  evidenceOf,
  judge,
  type Policy,
  saysTheSame,
  type Verdict,
} from './verdict-model.ts';

/*
 * What the runtime part of the service should do, said again in the plainest way: every snapshot is kept as a whole, and
 * every answer is searched for in all of them. Nothing here may come from the code that it is compared with.
 */

export interface Flow {
  name: string;
  aliases: Set<string>;
}

export interface ArtifactReport {
  readonly flow: Flow;
  readonly trail: string;
  readonly fingerprint: string;
  readonly templateName: string | null;
  readonly commit: string;
  readonly commitUrl: string;
  readonly commitInfo: object | null;
  readonly committedAt: number | null;
  readonly repository: string | null;
  /** The fingerprints of an image by platform. */
  readonly platforms: ReadonlyMap<string, string>;
  /** Given by the service. */
  id: string;
}

/** From the start of an image until it is gone. */
export interface Run {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly startedIn: number;
  /** Instances at the start. */
  readonly startedWith: number;
  /** Snapshots in which the fingerprint started, up to this one. */
  readonly deployments: readonly number[];
  lineage: string;
}

/** A run in one snapshot. */
export interface Placed {
  readonly run: Run;
  readonly content: Content;
  readonly provenance: readonly ArtifactReport[];
  readonly replaced: Run | null;
  readonly verdict: Verdict;
  readonly happened: 'started' | 'new-provenance' | 'judged' | 'nothing';
}

/** Why a re-evaluation was made. */
export type Cause = 'provenance' | 'evidence' | 'policy' | 'allow-list';

export interface Snapshot {
  readonly index: number;
  readonly at: number;
  readonly trigger: 'report' | Cause;
  /** The policies that judged it, by name. */
  readonly policies: readonly Policy[];
  readonly running: Placed[];
  readonly exited: readonly Placed[];
}

export interface Environment {
  /** Given by the service. */
  id: string;
  name: string;
  readonly aliases: Set<string>;
  readonly type: PhysicalType | 'logical';
  isArchived: boolean;
  readonly members: Set<Environment>;
  /** The names of the attached policies. */
  readonly policies: Set<string>;
  /** Fingerprints with a waiver, and its reason. */
  readonly waivers: Map<string, string>;
  readonly snapshots: Snapshot[];
  readonly runs: Run[];
  /** The last report. */
  units: readonly Unit[];
  /** Reports that made a snapshot, the newest last. */
  readonly sent: (readonly Unit[])[];
}

const MAX_DEPLOYMENTS = 100;
const MAX_SENT = 20;

export interface RuntimeModel {
  /** In milliseconds. */
  now: number;
  readonly flows: Flow[];
  /** Oldest first. */
  readonly reports: ArtifactReport[];
  /** Image indexes, each with the fingerprints that the newest report lists, by platform. */
  readonly indexes: Map<string, ReadonlyMap<string, string>>;
  /** Oldest first. */
  readonly attestations: Attestation[];
  /** Current policies, by name. */
  readonly policies: Map<string, Policy>;
  /** Includes archived ones. */
  readonly environments: Environment[];
}

export function activeOf({ environments }: RuntimeModel): Environment[] {
  return environments.filter((environment) => !environment.isArchived);
}

export function physicalOf(model: RuntimeModel): Environment[] {
  return activeOf(model).filter((environment) => environment.type !== 'logical');
}

export function environmentNamed(model: RuntimeModel, name: string): Environment | undefined {
  return findNamed(activeOf(model), name);
}

export function flowNamed({ flows }: RuntimeModel, name: string): Flow | undefined {
  return findNamed(flows, name);
}

export function environmentOf(model: RuntimeModel, name: string): Environment {
  const environment = environmentNamed(model, name);
  if (!environment) throw new Error(`the model has no environment '${name}'`);
  return environment;
}

export function flowOf(model: RuntimeModel, name: string): Flow {
  const flow = flowNamed(model, name);
  if (!flow) throw new Error(`the model has no flow '${name}'`);
  return flow;
}

export function putFlow({ flows }: RuntimeModel, name: string): void {
  if (flows.some((flow) => flow.name === name)) return;
  for (const flow of flows) flow.aliases.delete(name);
  flows.push({ name, aliases: new Set() });
}

/** Whether it could be renamed. */
export function renameFlow({ flows }: RuntimeModel, flow: Flow, to: string): boolean {
  return rename(flows, flow, to);
}

export function putEnvironment(model: RuntimeModel, name: string, type: Environment['type']): Environment {
  for (const environment of activeOf(model)) environment.aliases.delete(name);
  const environment: Environment = {
    id: '',
    name,
    aliases: new Set(),
    type,
    isArchived: false,
    members: new Set(),
    policies: new Set(),
    waivers: new Map(),
    snapshots: [],
    runs: [],
    units: [],
    sent: [],
  };
  model.environments.push(environment);
  return environment;
}

/** Whether it could be renamed. */
export function renameEnvironment(model: RuntimeModel, environment: Environment, to: string): boolean {
  return rename(activeOf(model), environment, to);
}

export function archiveEnvironment(environment: Environment): void {
  environment.isArchived = true;
  environment.aliases.clear();
}

/** An equal text makes no version. */
export function putPolicy({ policies }: RuntimeModel, name: string, demand: Demand): 'created' | 'updated' {
  const known = policies.get(name);
  if (known?.demand !== demand) policies.set(name, { name, version: (known?.version ?? 0) + 1, demand });
  return known ? 'updated' : 'created';
}

function attachedTo({ policies }: RuntimeModel, environment: Environment): Policy[] {
  const names = [...environment.policies].sort(byText);
  return names.flatMap((name) => policies.get(name) ?? []);
}

/** Takes a report of everything that runs; returns whether that made a snapshot. */
export function takeReport(
  model: RuntimeModel,
  environment: Environment,
  units: readonly Unit[],
): 'created' | 'unchanged' {
  environment.units = units;
  const contents = contentsOf(environment.type as PhysicalType, units);
  const latest = environment.snapshots.at(-1);
  const started = contents.filter((content) => !latest?.running.some(({ run }) => isSame(run, content)));
  const exited = latest?.running.filter(({ run }) => !contents.some((content) => isSame(run, content))) ?? [];
  if (latest && started.length + exited.length === 0) {
    scale(latest, contents);
    return 'unchanged';
  }
  // Each snapshot has one cause: a change of policies has made a separate one before.
  if (latest && !areSame(latest.policies, attachedTo(model, environment))) {
    reevaluateModel(model, environment, 'policy');
    return takeReport(model, environment, units);
  }
  const index = environment.snapshots.length + 1;
  const begun = new Map(started.map((content, i) => [content, start(model, environment, content, index, i)]));
  const running = contents.map((content): Placed => {
    const known = latest?.running.find(({ run }) => isSame(run, content));
    return known ? { ...known, content, happened: 'nothing' } : (begun.get(content) as Placed);
  });
  environment.runs.push(...[...begun.values()].map(({ run }) => run));
  environment.sent.push(units);
  if (environment.sent.length > MAX_SENT) environment.sent.shift();
  append(model, environment, 'report', running, exited);
  return 'created';
}

/** Changed instances show in the latest snapshot; changed times alone do not. */
function scale(latest: Snapshot, contents: readonly Content[]): void {
  for (const [i, placed] of latest.running.entries()) {
    const content = contents.find((content) => isSame(placed.run, content));
    if (content && !hasSameInstances(placed.content, content)) latest.running[i] = { ...placed, content };
  }
}

function start(model: RuntimeModel, environment: Environment, content: Content, index: number, place: number): Placed {
  const { runs } = environment;
  const { name, fingerprint } = content;
  const provenance = provenanceOf(model, fingerprint);
  const lineage = lineageOf(name, provenance);
  const starts = runs.filter((run) => fingerprint !== '' && run.fingerprint === fingerprint);
  // An unidentified artifact is not a deployment.
  const indexes = fingerprint === '' ? [] : [...new Set(starts.map((run) => run.startedIn)), index];
  const deployments = indexes.slice(-MAX_DEPLOYMENTS);
  const startedWith = content.starts.length;
  const no = runs.length + 1 + place;
  return {
    run: { no, name, fingerprint, startedIn: index, startedWith, deployments, lineage },
    content,
    provenance,
    replaced: replacedBy(runs, { no, fingerprint }, lineage),
    verdict: judgedIn(model, environment, fingerprint),
    happened: 'started',
  };
}

function judgedIn(model: RuntimeModel, environment: Environment, fingerprint: string): Verdict {
  const known = (reports: readonly ArtifactReport[]) => reports.map((report) => evidenceOf(model.attestations, report));
  const { reports, platforms } = knownOf(model, fingerprint);
  const parts = platforms.length === 0 ? [reports] : platforms.map((own) => [...reports, ...own]);
  const all = known([...reports, ...platforms.flat()]);
  return judge(attachedTo(model, environment), all, parts.map(known), environment.waivers.get(fingerprint));
}

/** The platforms that a report names. */
export function platformsIn({ annotations = {} }: Pick<ArtifactBody, 'annotations'>): ReadonlyMap<string, string> {
  const named = Object.entries(annotations).filter(([key]) => key.startsWith('platform_'));
  return new Map(
    named.map(([key, value]) => [key.slice('platform_'.length).replace('_', '/'), value.slice('sha256:'.length)]),
  );
}

export function claimPlatforms(model: RuntimeModel, body: ArtifactBody): void {
  const platforms = platformsIn(body);
  const index = body.annotations?.['image_index']?.slice('sha256:'.length) ?? body.fingerprint;
  if (platforms.size > 0) model.indexes.set(index, platforms);
}

/**
 * Re-evaluates provenance and verdicts of what runs, for some fingerprints or all; returns whether that made a
 * snapshot.
 */
export function reevaluateModel(
  model: RuntimeModel,
  environment: Environment,
  cause: Cause,
  fingerprints?: readonly string[],
): boolean {
  const latest = environment.snapshots.at(-1);
  if (!latest || environment.isArchived) return false;
  const isRejudged = !areSame(latest.policies, attachedTo(model, environment));
  const changes = latest.running.map((placed) => {
    const isMeant = isRejudged || !fingerprints || fingerprints.includes(placed.run.fingerprint);
    return isMeant ? changeOf(model, environment, placed, isRejudged) : undefined;
  });
  if (!isRejudged && changes.every((change) => change === undefined)) return false;
  const hasNewProvenance = changes.some((change) => change?.happened === 'new-provenance');
  for (const change of changes) {
    if (change?.happened === 'new-provenance') change.run.lineage = lineageOf(change.run.name, change.provenance);
  }
  const running = latest.running.map((placed, i): Placed => changes[i] ?? { ...placed, happened: 'nothing' });
  append(model, environment, triggerOf(cause, isRejudged, hasNewProvenance), running, []);
  return true;
}

/** A run with its current provenance and verdict, if that is to be recorded. */
function changeOf(
  model: RuntimeModel,
  environment: Environment,
  placed: Placed,
  isRejudged: boolean,
): Placed | undefined {
  const { run } = placed;
  const provenance = provenanceOf(model, run.fingerprint);
  const verdict = judgedIn(model, environment, run.fingerprint);
  if (meaningOf(provenance) !== meaningOf(placed.provenance)) {
    // What it replaced by name stays, unless something of its new lineage is found.
    const replaced = replacedBy(environment.runs, run, lineageOf(run.name, provenance)) ?? placed.replaced;
    return { ...placed, provenance, replaced, verdict, happened: 'new-provenance' };
  }
  if (!isRejudged && saysTheSame(placed.verdict, verdict)) return undefined;
  const hasNewCompliance = counted(verdict) !== 'unknown' && counted(verdict) !== counted(placed.verdict);
  return { ...placed, verdict, happened: hasNewCompliance ? 'judged' : 'nothing' };
}

/** A change of policies takes precedence over one of provenance, and that over any other. */
function triggerOf(cause: Cause, isRejudged: boolean, hasNewProvenance: boolean): Cause {
  if (isRejudged) return 'policy';
  if (hasNewProvenance) return 'provenance';
  return cause === 'allow-list' ? cause : 'evidence';
}

export function complianceOf({ policies, running }: Snapshot): 'compliant' | 'non-compliant' | 'unknown' {
  if (policies.length === 0) return 'unknown';
  return running.some(({ verdict }) => verdict.compliance === 'non-compliant') ? 'non-compliant' : 'compliant';
}

function append(
  model: RuntimeModel,
  environment: Environment,
  trigger: Snapshot['trigger'],
  running: Placed[],
  exited: readonly Placed[],
): void {
  const { snapshots } = environment;
  snapshots.push({
    index: snapshots.length + 1,
    at: Math.max(model.now, snapshots.at(-1)?.at ?? 0),
    trigger,
    policies: attachedTo(model, environment),
    running: running.sort((a, b) => byNameAndFingerprint(a.run, b.run)),
    exited,
  });
}

/** One report in each flow, newest first: of the artifact, else of an index that lists it, else of one of its platforms. */
function provenanceOf(model: RuntimeModel, fingerprint: string): ArtifactReport[] {
  const { reports, platforms } = knownOf(model, fingerprint);
  if (reports.length === 0 && platforms.some((own) => own.length === 0)) return [];
  const all = [...reports, ...platforms.flat()];
  const newest = all.filter((report, i) => all.findIndex(({ flow }) => flow === report.flow) === i);
  return newest.sort((a, b) => model.reports.indexOf(b) - model.reports.indexOf(a));
}

/** What is known of an artifact and of the indexes that list it; and of each of its platforms, if any is known. */
function knownOf(model: RuntimeModel, fingerprint: string) {
  if (fingerprint === '') return { reports: [], platforms: [] };
  const waiver = [...model.indexes].filter(([, images]) => [...images.values()].includes(fingerprint));
  const reports = [
    ...newestOf(model, [fingerprint]),
    ...newestOf(
      model,
      waiver.map(([index]) => index),
    ),
  ];
  const images = [...(model.indexes.get(fingerprint) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  const platforms = images.map(([, image]) => newestOf(model, [image]));
  return { reports, platforms: platforms.some((own) => own.length > 0) ? platforms : [] };
}

/** The newest report in each flow of any of these. */
function newestOf({ reports }: RuntimeModel, fingerprints: readonly string[]): ArtifactReport[] {
  const newestFirst = reports.filter((report) => fingerprints.includes(report.fingerprint)).reverse();
  return newestFirst.filter((report, i) => newestFirst.findIndex(({ flow }) => flow === report.flow) === i);
}

interface Named {
  name: string;
  readonly aliases: Set<string>;
}

/** Current names take precedence over former ones. */
function findNamed<T extends Named>(all: readonly T[], name: string): T | undefined {
  return all.find((one) => one.name === name) ?? all.find((one) => one.aliases.has(name));
}

function rename(all: readonly Named[], one: Named, to: string): boolean {
  if (one.name === to) return true;
  if (all.some((other) => other.name === to)) return false;
  for (const other of all) other.aliases.delete(to);
  one.aliases.add(one.name);
  one.name = to;
  return true;
}

function isSame(run: Run, content: Content): boolean {
  return run.name === content.name && run.fingerprint === content.fingerprint;
}

function hasSameInstances(a: Content, b: Content): boolean {
  return a.starts.length === b.starts.length && a.identities.join('\n') === b.identities.join('\n');
}

/** What it is a version of. */
function lineageOf(name: string, provenance: readonly ArtifactReport[]): string {
  const named = provenance.find((report) => report.templateName !== null);
  return named ? JSON.stringify([flowNumber(named.flow), named.templateName]) : JSON.stringify([name]);
}

/** Names move from one flow to another; these do not. */
const flowNumbers = new WeakMap<Flow, number>();
let flowCount = 0;

function flowNumber(flow: Flow): number {
  const number = flowNumbers.get(flow) ?? ++flowCount;
  flowNumbers.set(flow, number);
  return number;
}

/** The last one before it of the same lineage that is another artifact. */
function replacedBy(runs: readonly Run[], run: Pick<Run, 'no' | 'fingerprint'>, lineage: string): Run | null {
  const before = runs.filter(
    (other) => other.lineage === lineage && other.fingerprint !== run.fingerprint && other.no < run.no,
  );
  return before.sort((a, b) => b.no - a.no)[0] ?? null;
}

/** The same for equal reports, in any order. */
function meaningOf(provenance: readonly ArtifactReport[]): string {
  const texts = provenance.map(({ flow, trail, templateName, commit }) =>
    JSON.stringify([flowNumber(flow), trail, templateName, commit]),
  );
  return texts.sort().join();
}
