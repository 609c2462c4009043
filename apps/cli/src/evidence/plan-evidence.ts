import { dirname } from 'node:path';
import {
  attestGeneric,
  attestInToto,
  attestJunit,
  attestSbom,
  attestSnyk,
  attestVex,
  type Contract,
  type FindingLevel,
} from '@waymark/contract';
import { type CliError, usageError } from '../run/cli-error.ts';
import type { EvidenceRule, ProjectFile } from '../run/config-files.ts';
import type { Session } from '../run/session.ts';
import { type Coverage, percentOf } from './coverage.ts';
import { EVERYTHING, findFiles, readNamed } from './find-files.ts';
import { statementSubjects } from './in-toto.ts';
import { type Recognised, type ReportKind, recognise, recogniseChosen } from './recognise.ts';
import { SARIF_KIND } from './record-attestation.ts';
import type { NamedFile } from './tgz.ts';

export interface Planned {
  readonly name: string;
  readonly kind: string;
  readonly contract: Contract;
  readonly artifact?: string;
  readonly body?: object;
  readonly report: { readonly files: readonly NamedFile[]; readonly ending: string };
}

export interface Skipped {
  readonly name: string;
  readonly why: string;
}

export interface Plan {
  readonly planned: readonly Planned[];
  readonly skipped: readonly Skipped[];
  readonly damaged: readonly Skipped[];
}

const CONTRACTS: Readonly<Record<ReportKind, { contract: Contract; ending: string; name: string; shown?: string }>> = {
  junit: { contract: attestJunit, ending: '.xml', name: 'junit' },
  sarif: { contract: attestSnyk, ending: '.sarif', name: 'sarif', shown: SARIF_KIND },
  snyk: { contract: attestSnyk, ending: '.json', name: 'snyk' },
  trivy: { contract: attestSnyk, ending: '.json', name: 'trivy', shown: 'snyk (Trivy)' },
  grype: { contract: attestSnyk, ending: '.json', name: 'grype', shown: 'snyk (Grype)' },
  gitleaks: { contract: attestSnyk, ending: '.json', name: 'gitleaks', shown: 'snyk (Gitleaks)' },
  'osv-scanner': { contract: attestSnyk, ending: '.json', name: 'osv-scanner', shown: 'snyk (OSV-Scanner)' },
  sbom: { contract: attestSbom, ending: '.json', name: 'sbom' },
  vex: { contract: attestVex, ending: '.json', name: 'vex' },
  'in-toto': { contract: attestInToto, ending: '.json', name: 'provenance' },
};

/** Kinds for which the service takes one file per attestation. */
const ALONE: readonly string[] = ['sbom', 'vex', 'in-toto'];

interface Found {
  readonly file: NamedFile;
  readonly what: Recognised;
}

export interface PlanOptions {
  readonly minCoverage: number | undefined;
  /** For scanner results. */
  readonly failsAt: FindingLevel | undefined;
}

/** Plans attestations of the files that match the patterns. Each pattern must match. */
export function planChosen(session: Session, patterns: readonly string[], options: PlanOptions): Plan {
  const { cwd } = session.io;
  const missing = patterns.filter((pattern) => findFiles(cwd, [pattern], EVERYTHING).length === 0);
  if (missing.length > 0) throw nothingAt(missing.map((pattern) => `'${pattern}'`));
  return planFound(
    findFiles(cwd, patterns, EVERYTHING).map((path) => foundAt(session, path, recogniseChosen)),
    options,
  );
}

/** Plans attestations of all files. */
export function planAny(session: Session, pattern: string, options: PlanOptions): Plan {
  return planFound(
    findFiles(session.io.cwd, [pattern], EVERYTHING).map((path) => foundAt(session, path, recognise)),
    options,
  );
}

function planFound(found: readonly Found[], options: PlanOptions): Plan {
  const kinds = Map.groupBy(found, ({ what }) => what.kind);
  const groups = [...kinds].flatMap(([kind, files]) => (ALONE.includes(kind) ? files.map((file) => [file]) : [files]));
  return joined(groups.map((files) => planGroup(files, options)));
}

/** Plans attestations by the rules of the project. Each rule must match, unless it is optional. */
export function planRules(session: Session, { path, evidence }: ProjectFile, options: PlanOptions): Plan {
  const root = dirname(path);
  const missing = evidence.filter(
    (rule) => rule.optional !== true && findFiles(root, [rule.path], EVERYTHING).length === 0,
  );
  if (missing.length > 0) {
    throw nothingAt(
      missing.map((rule) => `'${rule.path}' (${rule.name} in .waymark.yml)`),
      ' Add optional: true to a rule that may match no file',
    );
  }
  return joined(evidence.map((rule) => planRule(session, root, rule, options)));
}

const NO_PLAN: Plan = { planned: [], skipped: [], damaged: [] };

function nothingAt(places: readonly string[], hint = ''): CliError {
  return usageError(
    `No file matches ${places.join(', ')}`,
    `Check that an earlier step wrote the file here. Nothing was sent.${hint}`,
  );
}

function planRule(session: Session, root: string, rule: EvidenceRule, options: PlanOptions): Plan {
  const kind = kindOfType(rule);
  const found = findFiles(root, [rule.path], EVERYTHING).map((path) => foundAt(session, path, recogniseChosen));
  if (found.length === 0) return { ...NO_PLAN, skipped: [{ name: rule.name, why: `no file matches ${rule.path}` }] };
  // A rule states what the files are. Any other content is a mistake, and must not be skipped.
  const other = found.find(({ what }) => what.kind !== kind);
  if (other) {
    const why = 'why' in other.what ? other.what.why : `it is ${other.what.kind}`;
    return { ...NO_PLAN, damaged: [{ name: other.file.name, why: `not ${rule.type}: ${why}` }] };
  }
  if (ALONE.includes(kind) && found.length > 1) {
    throw usageError(
      `Rule '${rule.name}' matches ${found.length} files at ${rule.path}, but takes only one`,
      'Use the path of one file',
    );
  }
  const { planned, ...rest } = planGroup(found, options);
  return {
    ...rest,
    planned: planned.map((one) => ({
      ...one,
      name: rule.name,
      ...(rule.artifact !== undefined && { artifact: rule.artifact }),
    })),
  };
}

const TYPES: Readonly<Record<string, ReportKind | 'coverage'>> = {
  junit: 'junit',
  sarif: 'sarif',
  snyk: 'snyk',
  trivy: 'trivy',
  grype: 'grype',
  gitleaks: 'gitleaks',
  'osv-scanner': 'osv-scanner',
  sbom: 'sbom',
  cyclonedx: 'sbom',
  spdx: 'sbom',
  vex: 'vex',
  openvex: 'vex',
  csaf: 'vex',
  'in-toto': 'in-toto',
  slsa: 'in-toto',
  coverage: 'coverage',
  cobertura: 'coverage',
  jacoco: 'coverage',
  lcov: 'coverage',
};

function kindOfType({ name, type }: EvidenceRule): ReportKind | 'coverage' {
  const kind = TYPES[type];
  if (kind) return kind;
  throw usageError(
    `.waymark.yml: '${name}' has the unknown type '${type}'`,
    `Known types: ${Object.keys(TYPES).join(', ')}`,
  );
}

function foundAt(session: Session, path: string, know: (file: NamedFile) => Recognised): Found {
  const file = readNamed(session, path);
  return { file, what: know(file) };
}

/** Files of one kind. */
function planGroup(found: readonly Found[], options: PlanOptions): Plan {
  const [first] = found;
  if (!first) return NO_PLAN;
  const files = found.map(({ file }) => file);
  const { what } = first;
  switch (what.kind) {
    case 'damaged':
    case 'unknown': {
      const unused = found.map(({ file, what }) => ({ name: file.name, why: 'why' in what ? what.why : '' }));
      return what.kind === 'damaged' ? { ...NO_PLAN, damaged: unused } : { ...NO_PLAN, skipped: unused };
    }
    case 'coverage':
      return planCoverage(
        files,
        found.flatMap(({ what }) => ('coverage' in what ? [what.coverage] : [])),
        options,
      );
    default:
      return { ...NO_PLAN, planned: [planReport(what.kind, files, options)] };
  }
}

function planReport(kind: ReportKind, files: readonly NamedFile[], { failsAt }: PlanOptions): Planned {
  const { contract, ending, name, shown = kind } = CONTRACTS[kind];
  const subjects = kind === 'in-toto' ? statementSubjects(files[0]?.content ?? new Uint8Array()) : [];
  return {
    ...{ name, kind: shown, contract, report: { files, ending } },
    ...(failsAt !== undefined && contract === attestSnyk && { body: { fails_at: failsAt } }),
    ...(subjects.length === 1 && { artifact: `sha256:${subjects[0]}` }),
  };
}

/** The service does not judge coverage, so the caller has to set the minimum. */
function planCoverage(files: readonly NamedFile[], reports: readonly Coverage[], { minCoverage }: PlanOptions): Plan {
  const percent = percentOf(reports);
  const shown = Math.floor(percent * 10) / 10;
  if (minCoverage === undefined) {
    const why = `${shown} % of lines; add --min-coverage for a verdict`;
    return { ...NO_PLAN, skipped: files.map(({ name }) => ({ name, why })) };
  }
  const sum = (key: 'covered' | 'valid') => reports.reduce((total, report) => total + report[key], 0);
  const coverage = {
    format: [...new Set(reports.map(({ format }) => format))].join(', '),
    line_percent: shown,
    lines_covered: sum('covered'),
    lines_valid: sum('valid'),
    min_line_percent: minCoverage,
  };
  const body = {
    is_compliant: percent >= minCoverage,
    user_data: { coverage },
    annotations: { reason: `${shown} % of lines are covered, ${minCoverage} % are required` },
  };
  return {
    ...NO_PLAN,
    planned: [{ name: 'coverage', kind: 'coverage', contract: attestGeneric, body, report: { files, ending: '' } }],
  };
}

/** Names are unique: under one name only the newest counts. */
function joined(plans: readonly Plan[]): Plan {
  const planned = plans.flatMap((plan) => plan.planned);
  const seen = new Map<string, number>();
  return {
    planned: planned.map((one) => {
      const count = (seen.get(one.name) ?? 0) + 1;
      seen.set(one.name, count);
      return count === 1 ? one : { ...one, name: `${one.name}-${count}` };
    }),
    skipped: plans.flatMap((plan) => plan.skipped),
    damaged: plans.flatMap((plan) => plan.damaged),
  };
}
