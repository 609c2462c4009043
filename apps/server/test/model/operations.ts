import type { Random } from './random.ts';
import { activeOf, type Environment, environmentNamed, physicalOf, type RuntimeModel } from './runtime-model.ts';
import { isIdentifying, type PhysicalType, type Unit } from './units.ts';
import type { Demand } from './verdict-model.ts';

/** Few names and fingerprints, so that the same ones start, stop and come back all the time. */
const ENVIRONMENT_NAMES = ['prod', 'staging', 'dev', 'qa', 'eu.prod', 'prod-2', 'test_1', 'spare'];
const LOGICAL_NAME = 'everything';
const FLOW_NAMES = ['web', 'api', 'infra', 'web-2', 'old-api'];
const IMAGE_NAMES = ['web', 'Web', 'registry/app:1', 'registry/app:2', '=cmd()', 'a,"b"', 'é💩', 'worker'];
const FINGERPRINTS = ['1', '2', '3', '4', 'a', 'b', 'c'].map((digit) => digit.repeat(64));
const COMMITS = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(40));
export const REPOSITORIES = ['acme/web', 'acme/api', 'acme/nowhere'];
const TYPES: readonly PhysicalType[] = [
  ...(['K8S', 'K8S', 'ECS', 'server', 'docker', 'S3', 'lambda', 'cloudx-apps', 'azure-apps', 'cloud-run'] as const),
];
const PLACES = [null, '', 'blue', 'green'];

/** What each policy requires in turn. */
const POLICIES: Readonly<Record<string, readonly Demand[]>> = {
  provenance: ['provenance', 'compliant trails'],
  tested: ['passing tests', 'any tests'],
};
const ALLOWED_BECAUSE = ['from a vendor', 'for a week'];

const MAX_ENVIRONMENTS = 5;
const MAX_UNITS = 14;
const SECOND = 1000;
const HOUR = 3600 * SECOND;

export interface ArtifactBody {
  readonly fingerprint: string;
  readonly filename: string;
  readonly build_url: string;
  readonly commit_url: string;
  readonly git_commit: string | null;
  readonly git_commit_info: { sha1: string; message: string | null; branch: string; timestamp: number | null } | null;
  readonly repo_info: { name: string } | null;
  readonly trail_name: string | null;
  readonly template_reference_name: string | null;
  /** Names the platforms of an image index. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Attesting {
  readonly flow: string;
  readonly trail: string;
  /** Null when it is about the whole trail. */
  readonly fingerprint: string | null;
  readonly isCompliant: boolean;
}

/**
 * Operations that change the verdicts on what runs. Where `isFollowed`, a worker re-evaluates at once what may be
 * affected.
 */
export type PolicyOperation =
  | { readonly kind: 'put policy'; readonly policy: string; readonly demand: Demand; readonly isFollowed: boolean }
  | { readonly kind: 'attach policy' | 'detach policy'; readonly name: string; readonly policy: string }
  | ({ readonly kind: 'attest' | 'override'; readonly isFollowed: boolean } & Attesting)
  | { readonly kind: 'allow artifact'; readonly name: string; readonly fingerprint: string; readonly reason: string }
  | { readonly kind: 'withdraw allow-listing'; readonly name: string; readonly fingerprint: string };

export type Operation =
  | PolicyOperation
  | { readonly kind: 'put environment'; readonly name: string; readonly type: Environment['type'] }
  | { readonly kind: 'rename environment'; readonly name: string; readonly to: string }
  | { readonly kind: 'archive environment'; readonly name: string }
  | { readonly kind: 'join environment'; readonly name: string; readonly member: string }
  | { readonly kind: 'put flow'; readonly name: string }
  | { readonly kind: 'rename flow'; readonly name: string; readonly to: string }
  | { readonly kind: 'report artifact'; readonly flow: string; readonly body: ArtifactBody }
  | { readonly kind: 'report'; readonly name: string; readonly word: PhysicalType; readonly units: readonly Unit[] }
  | { readonly kind: 'repeat report'; readonly name: string }
  | { readonly kind: 'report of another type'; readonly name: string; readonly word: PhysicalType }
  | { readonly kind: 'reevaluateAll'; readonly name: string }
  | { readonly kind: 'move clock'; readonly by: number };

/** The state before anything happens. */
export function firstOperations(): Operation[] {
  return [
    { kind: 'put environment', name: 'prod', type: 'K8S' },
    { kind: 'put environment', name: 'staging', type: 'server' },
    { kind: 'put environment', name: 'dev', type: 'ECS' },
    { kind: 'put environment', name: 'qa', type: 'azure-apps' },
    { kind: 'put environment', name: LOGICAL_NAME, type: 'logical' },
    { kind: 'join environment', name: LOGICAL_NAME, member: 'prod' },
    ...FLOW_NAMES.slice(0, 3).map((name) => ({ kind: 'put flow' as const, name })),
    { kind: 'put policy', policy: 'provenance', demand: 'provenance', isFollowed: false },
    { kind: 'put policy', policy: 'tested', demand: 'passing tests', isFollowed: false },
  ];
}

const WEIGHTS = {
  report: 48,
  'repeat report': 6,
  'report of another type': 1,
  'move clock': 18,
  'report artifact': 9,
  reevaluateAll: 12,
  'put environment': 2,
  'rename environment': 1.5,
  'archive environment': 0.5,
  'join environment': 0.75,
  'rename flow': 1.5,
  'put policy': 2,
  'attach policy': 5,
  'detach policy': 2,
  attest: 12,
  override: 3,
  'allow artifact': 3,
  'withdraw allow-listing': 3,
} as const satisfies Partial<Record<Operation['kind'], number>>;

export function nextOperation(random: Random, model: RuntimeModel): Operation {
  const kind = physicalOf(model).length === 0 ? 'put environment' : random.weighted(WEIGHTS);
  switch (kind) {
    case 'put environment':
      return putEnvironment(random, model);
    case 'rename environment':
      return { kind, name: anyName(random, activeOf(model)), to: random.pick(ENVIRONMENT_NAMES) };
    case 'archive environment':
      return { kind, name: anyName(random, physicalOf(model)) };
    case 'join environment':
      return { kind, name: LOGICAL_NAME, member: anyName(random, physicalOf(model)) };
    case 'rename flow':
      return { kind, name: anyName(random, model.flows), to: random.pick(FLOW_NAMES) };
    case 'report artifact':
      return reportedArtifact(random, model);
    case 'move clock':
      return { kind, by: clockStep(random, model.now) };
    case 'report of another type':
      return otherTypeReport(random, model);
    case 'report':
      return report(random, model);
    case 'put policy':
    case 'attach policy':
    case 'detach policy':
      return policyOperation(random, model, kind);
    case 'attest':
    case 'override':
      return attesting(random, model, kind);
    case 'allow artifact':
      return allowance(random, model);
    case 'withdraw allow-listing':
      return withdrawal(random, model);
    default:
      return { kind, name: anyName(random, physicalOf(model)) };
  }
}

/** Sometimes by a former name. */
function anyName(random: Random, all: readonly { name: string; aliases: Set<string> }[]): string {
  const { name, aliases } = random.pick(all);
  return aliases.size > 0 && random.chance(0.2) ? random.pick([...aliases]) : name;
}

/** A new one, perhaps of another type than an earlier one of that name; or an existing one, which changes nothing. */
function putEnvironment(random: Random, model: RuntimeModel): Operation {
  const free = ENVIRONMENT_NAMES.filter((name) => !activeOf(model).some((environment) => environment.name === name));
  if (physicalOf(model).length >= MAX_ENVIRONMENTS || free.length === 0) {
    const { name, type } = random.pick(physicalOf(model));
    return { kind: 'put environment', name, type };
  }
  return { kind: 'put environment', name: random.pick(free), type: random.pick(TYPES) };
}

function policyOperation(
  random: Random,
  model: RuntimeModel,
  kind: 'put policy' | 'attach policy' | 'detach policy',
): Operation {
  const policy = random.pick(Object.keys(POLICIES));
  if (kind !== 'put policy') return { kind, name: anyName(random, physicalOf(model)), policy };
  return { kind, policy, demand: random.pick(POLICIES[policy] ?? []), isFollowed: random.chance(0.6) };
}

/** About something that was reported, mostly what runs; an override needs an attestation. */
function attesting(random: Random, model: RuntimeModel, kind: 'attest' | 'override'): Operation {
  const isCompliant = random.chance(0.65);
  const isFollowed = random.chance(0.8);
  if (kind === 'override' && model.attestations.length > 0) {
    const { flow, trail, fingerprint } = random.pick(model.attestations);
    return { kind, flow: flow.name, trail, fingerprint, isCompliant, isFollowed };
  }
  if (model.reports.length === 0) return { kind: 'move clock', by: 1 };
  const running = physicalOf(model).flatMap(({ snapshots }) => snapshots.at(-1)?.running ?? []);
  const provenance = running.flatMap((placed) => placed.provenance);
  const known = provenance.length > 0 && random.chance(0.8) ? provenance : model.reports;
  const { flow, trail, fingerprint } = random.pick(known);
  const about = random.chance(0.8) ? fingerprint : null;
  return { kind: 'attest', flow: flow.name, trail, fingerprint: about, isCompliant, isFollowed };
}

/** Mostly of what fails. */
function allowance(random: Random, model: RuntimeModel): Operation {
  const kind = 'allow artifact';
  const reason = random.pick(ALLOWED_BECAUSE);
  const failing = physicalOf(model).flatMap(({ name, snapshots }) =>
    (snapshots.at(-1)?.running ?? [])
      .filter(({ run, verdict }) => run.fingerprint !== '' && verdict.compliance === 'non-compliant')
      .map(({ run }) => ({ name, fingerprint: run.fingerprint })),
  );
  if (failing.length > 0 && random.chance(0.8)) return { kind, ...random.pick(failing), reason };
  return { kind, name: anyName(random, physicalOf(model)), fingerprint: random.pick(FINGERPRINTS), reason };
}

/** Mostly of an existing one. */
function withdrawal(random: Random, model: RuntimeModel): Operation {
  const kind = 'withdraw allow-listing';
  const listed = physicalOf(model).flatMap(({ name, waivers }) =>
    [...waivers.keys()].map((fingerprint) => ({ name, fingerprint })),
  );
  if (listed.length > 0 && random.chance(0.9)) return { kind, ...random.pick(listed) };
  return { kind, name: anyName(random, physicalOf(model)), fingerprint: random.pick(FINGERPRINTS) };
}

/** Mostly forward; a little back, as clocks of servers do; and to whole seconds, as queries use them. */
function clockStep(random: Random, now: number): number {
  switch (random.weighted({ little: 4, some: 6, long: 1, back: 2, whole: 3 })) {
    case 'little':
      return random.between(0, 3);
    case 'some':
      return random.between(1, 2 * HOUR);
    case 'long':
      return random.between(1, 72 * HOUR);
    case 'back':
      return -random.between(1, 5 * SECOND);
    default:
      return SECOND - (now % SECOND) + SECOND * random.below(3);
  }
}

/** Sometimes repeats an earlier report, which gives no run new provenance. */
function reportedArtifact(random: Random, model: RuntimeModel): Operation {
  const kind = 'report artifact';
  if (model.reports.length === 0 || random.chance(0.75)) {
    const body = artifactBody(random, model, random.pick(FINGERPRINTS.slice(1)));
    return { kind, flow: anyName(random, model.flows), body };
  }
  const { flow, fingerprint, trail, templateName, commit } = random.pick(model.reports.slice(-20));
  const repeated = { trail_name: trail, template_reference_name: templateName, git_commit: commit || null };
  const body = artifactBody(random, model, fingerprint);
  return { kind, flow: flow.name, body: { ...body, ...repeated, git_commit_info: null } };
}

/** Of an index that is reported itself, or of which one platform is. */
function platformsOf(random: Random, fingerprint: string): Record<string, string> {
  const [index = '', ...images] = random.shuffled(FINGERPRINTS.filter((other) => other !== fingerprint));
  const listed = images.slice(0, random.between(1, 3));
  const isIndex = random.chance(0.6);
  const named = (isIndex ? listed : [fingerprint, ...listed]).map((digits, i) => [
    `platform_linux_arch${i}`,
    `sha256:${digits}`,
  ]);
  return { ...Object.fromEntries(named), ...(!isIndex && { image_index: `sha256:${index}` }) };
}

function artifactBody(random: Random, model: RuntimeModel, fingerprint: string): ArtifactBody {
  const commit = random.pick(COMMITS);
  const repository = random.pick(REPOSITORIES.slice(0, 2));
  const isKnown = random.chance(0.9);
  return {
    fingerprint,
    ...(random.chance(0.25) && { annotations: platformsOf(random, fingerprint) }),
    filename: 'app.tgz',
    build_url: 'https://ci.example.com/1',
    commit_url: isKnown ? `https://git.example.com/${repository}/commit/${commit}` : '',
    git_commit: isKnown && random.chance(0.7) ? commit : null,
    git_commit_info: isKnown && random.chance(0.6) ? commitInfo(random, commit, model.now) : null,
    repo_info: random.chance(0.6) ? { name: repository } : null,
    trail_name: random.chance(0.7) ? random.pick(['trail-1', 'trail-2']) : null,
    template_reference_name: random.chance(0.4) ? random.pick(['backend', 'frontend']) : null,
  };
}

function commitInfo(random: Random, sha1: string, now: number): ArtifactBody['git_commit_info'] {
  return {
    sha1,
    message: random.chance(0.5) ? 'Change "things"' : null,
    branch: 'main',
    timestamp: random.chance(0.8) ? Math.floor(now / SECOND) - random.below(100_000) : null,
  };
}

function otherTypeReport(random: Random, model: RuntimeModel): Operation {
  const { name, type } = random.pick(physicalOf(model));
  const others = TYPES.filter((other) => wordsFor(other as PhysicalType)[0] !== wordsFor(type as PhysicalType)[0]);
  return { kind: 'report of another type', name, word: random.pick(others) };
}

/** Two words for one type. */
function wordsFor(type: PhysicalType): readonly PhysicalType[] {
  return type === 'cloudx-apps' || type === 'azure-apps' ? ['cloudx-apps', 'azure-apps'] : [type];
}

function report(random: Random, model: RuntimeModel): Operation {
  const name = anyName(random, physicalOf(model));
  const environment = environmentNamed(model, name);
  if (!environment) throw new Error(`the model does not know '${name}'`);
  const type = environment.type as PhysicalType;
  let { units } = environment;
  const changes = units.length === 0 ? random.between(0, 6) : random.between(1, 3);
  for (let i = 0; i < changes; i++) units = changed(random, type, units, environment);
  return { kind: 'report', name, word: random.pick(wordsFor(type)), units };
}

const CHANGES = {
  add: 4,
  remove: 4,
  scale: 4,
  upgrade: 5,
  rename: 2,
  restart: 3,
  restamp: 3,
  move: 2,
  shuffle: 2,
  twice: 1,
  'roll back': 2,
  clear: 0.3,
} as const;

function changed(random: Random, type: PhysicalType, units: readonly Unit[], of: Environment): readonly Unit[] {
  const change = random.weighted(CHANGES);
  if (change === 'clear') return [];
  if (change === 'roll back') return of.sent.length > 0 ? random.pick(of.sent) : units;
  if (change === 'shuffle') return random.shuffled(units);
  if (units.length === 0 || change === 'add') return [...units, newUnit(random, type, units)].slice(-MAX_UNITS);
  const unit = random.pick(units);
  if (change === 'remove') return units.filter((other) => other !== unit);
  if (change === 'scale') return [...units, { ...newUnit(random, type, units), images: unit.images }].slice(-MAX_UNITS);
  if (change === 'twice') return [...units, { ...unit, started: unit.started + random.between(1, 1000) }];
  return units.map((other) => (other === unit ? { ...unit, ...otherwise(random, type, unit, change, units) } : other));
}

function otherwise(
  random: Random,
  type: PhysicalType,
  unit: Unit,
  change: 'upgrade' | 'rename' | 'restart' | 'restamp' | 'move',
  units: readonly Unit[],
): Partial<Unit> {
  const [name = '', ...others] = random.shuffled(Object.keys(unit.images));
  const rest = Object.fromEntries(others.map((other) => [other, unit.images[other] ?? '']));
  switch (change) {
    case 'upgrade':
      return { images: { ...rest, [name]: fingerprint(random, type) } };
    case 'rename':
      return { images: { ...rest, [random.pick(IMAGE_NAMES)]: unit.images[name] ?? '' } };
    case 'move': {
      const { id, place } = newUnit(random, type, units);
      return { id, place };
    }
    case 'restart':
      return { started: unit.started + random.between(1, 100_000), variant: random.below(6) };
    default:
      return { started: unit.started + random.between(1, 100_000) };
  }
}

/** Unlike existing ones: only pods may have the same name in two namespaces. */
function newUnit(random: Random, type: PhysicalType, units: readonly Unit[]): Unit {
  const place = random.pick(PLACES);
  const namesakes = units.filter((unit) => (unit.place ?? '') !== (place ?? ''));
  const taken = new Set(units.filter((unit) => type !== 'K8S' || !namesakes.includes(unit)).map(({ id }) => id));
  const free = Array.from({ length: 2 * MAX_UNITS + 10 }, (_, i) => `unit-${i}`).filter((id) => !taken.has(id));
  const reused = namesakes.map(({ id }) => id).filter((id) => type === 'K8S' && !taken.has(id));
  const images = Object.fromEntries(
    Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => [random.pick(IMAGE_NAMES), fingerprint(random, type)]),
  );
  return {
    id: reused.length > 0 && random.chance(0.2) ? random.pick(reused) : random.pick(free),
    place,
    images,
    started: 1_700_000_000 + random.below(10_000_000),
    variant: random.below(6),
  };
}

function fingerprint(random: Random, type: PhysicalType): string {
  return isIdentifying(type) && random.chance(0.15) ? '' : random.pick(FINGERPRINTS);
}
