import {
  type ArtifactReport,
  complianceOf,
  type Environment,
  type Placed,
  type Run,
  type Snapshot,
} from './runtime-model.ts';
import { byNameAndFingerprint } from './units.ts';
import { counted, type FlowEvidence, type Policy } from './verdict-model.ts';

const SITE = 'http://waymark.test/acme';

/** A snapshot as GET should return it, without the texts of reasons and policies. */
export function snapshotView(environment: Environment, snapshot: Snapshot): object {
  const next = environment.snapshots[snapshot.index];
  const shown = [...snapshot.running, ...snapshot.exited].sort((a, b) => byNameAndFingerprint(a.run, b.run));
  return {
    index: snapshot.index,
    is_latest: next === undefined,
    timestamp: snapshot.at / 1000,
    next_snapshot_timestamp: next ? next.at / 1000 : null,
    type: environment.type,
    trigger: snapshot.trigger,
    compliant: complianceOf(snapshot) === 'compliant',
    compliance: complianceOf(snapshot),
    artifact_compliance_count: {
      true: countOf(snapshot, 'compliant'),
      false: countOf(snapshot, 'non-compliant'),
      null: countOf(snapshot, 'unknown'),
    },
    applied_policies: snapshot.policies.map((policy) => policyView(snapshot, policy)),
    artifacts: shown.map((placed) => artifactView(environment, snapshot, placed)),
    html_url: `${SITE}/environments/${environment.name}/snapshots/${snapshot.index}`,
  };
}

function countOf({ running }: Snapshot, compliance: ReturnType<typeof counted>): number {
  return running.filter(({ verdict }) => counted(verdict) === compliance).length;
}

function policyView({ running }: Snapshot, { name, version }: Policy): object {
  const failing = running.filter(({ verdict }) =>
    verdict.decisions.some(({ policy, isSatisfied }) => policy.name === name && !isSatisfied),
  );
  return { name, version, failing_artifacts: failing.map(({ run }) => run.fingerprint) };
}

function artifactView(environment: Environment, snapshot: Snapshot, placed: Placed): object {
  const { run, content, provenance, verdict } = placed;
  const [primary] = provenance;
  const hasExited = snapshot.exited.includes(placed);
  const before = environment.snapshots[snapshot.index - 2]?.running.find((other) => other.run === run);
  return {
    name: run.name,
    fingerprint: run.fingerprint,
    creationTimestamp: content.starts,
    annotation: {
      type: hasExited ? 'exited' : annotationOf(placed, before),
      was: before?.content.starts.length ?? 0,
      now: hasExited ? 0 : content.starts.length,
    },
    compliant: counted(verdict) === 'compliant',
    compliance: verdict.compliance,
    git_commit: primary?.commit ?? '',
    commit_url: primary?.commitUrl ?? '',
    ...placeView(primary),
    ...sinceView(environment, snapshot, placed, primary),
    flows: provenance.map((report) => ({
      reported_as: reportedView(run.fingerprint, report),
      ...placeView(report),
      trail_name: report.trail,
      template_reference_name: report.templateName,
      git_commit: report.commit,
      commit_url: report.commitUrl,
      git_commit_info: report.commitInfo,
      ...sinceView(environment, snapshot, placed, report),
      ...stateView(worstIn(report, verdict.evidence)),
    })),
    deployments: run.deployments,
    policy_decisions: verdict.decisions.map(({ policy, isSatisfied }) => ({
      policy_name: policy.name,
      policy_version: policy.version,
      status: isSatisfied ? 'COMPLIANT' : 'NON-COMPLIANT',
    })),
    reasons_for_incompliance: verdict.decisions.flatMap(({ policy, isSatisfied }) => (isSatisfied ? [] : policy.name)),
    allow_listing: verdict.waiver,
    pods: hasExited ? null : content.pods,
    container_task_context: content.task,
    serverless_run_context: content.run,
    app_context: content.app,
  };
}

function annotationOf({ verdict, happened }: Placed, before: Placed | undefined): string {
  const now = counted(verdict);
  if (happened === 'started') return `started-${now}`;
  if (now !== 'unknown' && before && now !== counted(before.verdict)) return `became-${now}`;
  return happened === 'new-provenance' ? 'updated-provenance' : 'unchanged';
}

/** The reported artifact, where that is the index of an image or one of its platforms. */
function reportedView(fingerprint: string, report: ArtifactReport): object | null {
  if (report.fingerprint === fingerprint) return null;
  const platformOf = (wanted: string) => [...report.platforms].find(([, image]) => image === wanted)?.[0];
  return {
    fingerprint: report.fingerprint,
    platform: platformOf(fingerprint) ?? platformOf(report.fingerprint) ?? null,
  };
}

/** A flow may know an image by several reports; the last failing one is shown. */
function worstIn({ flow }: ArtifactReport, evidence: readonly FlowEvidence[] | null): FlowEvidence | undefined {
  const known = evidence?.filter((one) => one.flow === flow) ?? [];
  return known.findLast(({ tests }) => !tests.every((passed) => passed)) ?? known[0];
}

/** The compliance of the artifact in its trail. The flow has its name of that time there. */
function stateView(known: FlowEvidence | undefined): object {
  if (!known) return { artifact_compliance_in_flow: false, compliance: 'unknown', flow_reasons_for_non_compliance: [] };
  const { flowName: flow_name, trail: trail_name, tests } = known;
  const isCompliant = tests.every((passed) => passed);
  return {
    artifact_compliance_in_flow: isCompliant,
    compliance: isCompliant ? 'compliant' : 'non-compliant',
    flow_reasons_for_non_compliance: isCompliant ? [] : [{ flow_name, trail_name, status: 'NON-COMPLIANT' }],
  };
}

/** Flows are shown under their current names. */
function placeView(report: ArtifactReport | undefined) {
  if (!report) return { flow_name: '', html_url: '', flow_html_url: '' };
  const flow = `${SITE}/flows/${report.flow.name}`;
  return {
    flow_name: report.flow.name,
    html_url: `${flow}/artifacts/${report.fingerprint}?artifact_id=${report.id}`,
    flow_html_url: flow,
  };
}

function sinceView(environment: Environment, snapshot: Snapshot, { run, replaced }: Placed, report?: ArtifactReport) {
  const startedAt = environment.snapshots[run.startedIn - 1]?.at ?? 0;
  return {
    deployment_diff: replaced && replacedView(environment, snapshot, replaced, report),
    commit_lead_time: report?.committedAt == null ? null : startedAt / 1000 - report.committedAt,
  };
}

function replacedView(environment: Environment, snapshot: Snapshot, replaced: Run, report?: ArtifactReport) {
  const previous = reportOfReplaced(environment, snapshot, replaced, report);
  return {
    diff_url: compareUrl(previous?.commitUrl ?? '', report?.commitUrl ?? ''),
    previous_git_commit: previous?.commit ?? '',
    previous_git_commit_url: previous?.commitUrl ?? '',
    previous_fingerprint: replaced.fingerprint,
    previous_artifact_name: replaced.name,
    previous_artifact_compliance_state: lastOf(environment, snapshot, replaced)?.verdict.compliance,
    previous_running: snapshot.running.some(({ run }) => run === replaced),
    previous_trail_name: previous?.trail ?? '',
    previous_template_reference_name: previous?.templateName ?? '',
  };
}

/** Of what was known by then: its report in the same flow, or else the newest. */
function reportOfReplaced(environment: Environment, snapshot: Snapshot, replaced: Run, report?: ArtifactReport) {
  const last = lastOf(environment, snapshot, replaced);
  return last?.provenance.find(({ flow }) => flow === report?.flow) ?? last?.provenance[0];
}

function lastOf(environment: Environment, { index }: Snapshot, replaced: Run): Placed | undefined {
  return environment.snapshots
    .slice(0, index)
    .findLast(({ running }) => running.some(({ run }) => run === replaced))
    ?.running.find(({ run }) => run === replaced);
}

function compareUrl(from: string, to: string): string {
  const [repository, commit] = to.split('/commit/');
  const [otherRepository, otherCommit] = from.split('/commit/');
  if (!commit || !otherCommit || repository !== otherRepository || commit === otherCommit) return '';
  return `${repository}/compare/${otherCommit}...${commit}`;
}

/** A snapshot as the list should show it. */
export function summaryView(environment: Environment, snapshot: Snapshot, now: number): object {
  const next = environment.snapshots[snapshot.index];
  return {
    index: snapshot.index,
    from: snapshot.at / 1000,
    to: next ? next.at / 1000 : 0,
    duration: Math.max(0, (next?.at ?? now) - snapshot.at) / 1000,
    compliant: complianceOf(snapshot) === 'compliant',
    compliance: complianceOf(snapshot),
    trigger: snapshot.trigger,
    artifact_count: snapshot.running.length,
  };
}

/** What started, stopped or changed in an environment. */
export interface ModelEvent {
  readonly environment: Environment;
  readonly snapshot: Snapshot;
  readonly kind: 'exited' | 'started' | 'changed';
  readonly placed: Placed;
}

/** Oldest first; within one moment by the names of the environments. */
export function eventsIn(environments: readonly Environment[]): ModelEvent[] {
  const all = environments.flatMap((environment) =>
    environment.snapshots.flatMap((snapshot) => eventsOf(environment, snapshot)),
  );
  const place = new Map(all.map((event, i) => [event, i]));
  return all.sort(
    (a, b) =>
      a.snapshot.at - b.snapshot.at ||
      byNameAndFingerprint({ ...a.environment, fingerprint: '' }, { ...b.environment, fingerprint: '' }) ||
      (place.get(a) ?? 0) - (place.get(b) ?? 0),
  );
}

function eventsOf(environment: Environment, snapshot: Snapshot): ModelEvent[] {
  const sorted = (some: readonly Placed[]) => some.toSorted((a, b) => byNameAndFingerprint(a.run, b.run));
  const started = snapshot.running.filter(({ happened }) => happened === 'started');
  const changed = snapshot.running.filter(({ happened }) => happened === 'new-provenance' || happened === 'judged');
  return [
    ...sorted(snapshot.exited).map((placed) => ({ environment, snapshot, kind: 'exited' as const, placed })),
    ...sorted(started).map((placed) => ({ environment, snapshot, kind: 'started' as const, placed })),
    ...sorted(changed).map((placed) => ({ environment, snapshot, kind: 'changed' as const, placed })),
  ];
}

/** Without its links and the text of its description. */
export function eventView({ environment, snapshot, kind, placed }: ModelEvent): object {
  const { run, provenance, replaced } = placed;
  const [primary] = provenance;
  const report = replaced && primary && reportOfReplaced(environment, snapshot, replaced, primary);
  return {
    environment_name: environment.name,
    snapshot_index: snapshot.index,
    type: kind === 'changed' && placed.happened === 'new-provenance' ? 'updated-provenance' : kind,
    artifact_name: run.name,
    sha256: run.fingerprint,
    reported_at: snapshot.at / 1000,
    pipeline: primary?.flow.name ?? '',
    flows: provenance.map(({ flow }) => ({ flow_name: flow.name, deployments: run.deployments })),
    deployments: run.deployments,
    artifact_compliance: isCompliant(counted(placed.verdict)),
    snapshot_compliance: isCompliant(complianceOf(snapshot)),
    code_diff: kind !== 'exited' && report ? compareUrl(report.commitUrl, primary?.commitUrl ?? '') : '',
  };
}

function isCompliant(compliance: ReturnType<typeof counted>): boolean | null {
  return compliance === 'unknown' ? null : compliance === 'compliant';
}

export const AUDIT_COLUMNS =
  'timestamp,event,environment,snapshot_index,artifact_name,fingerprint,flow,trail,git_commit,commit_url,repository,compliant,reason,instances';

export const A_REASON = 'because …';

/** The cells of a line of the audit log, without the text of a reason; `report` is the requested one. */
export function auditView({ environment, snapshot, kind, placed }: ModelEvent, report?: ArtifactReport): string[] {
  const { compliance } = placed.verdict;
  const cells = [
    new Date(snapshot.at).toISOString(),
    kind,
    environment.name,
    String(snapshot.index),
    placed.run.name,
    placed.run.fingerprint,
    report?.flow.name ?? '',
    report?.trail ?? '',
    report?.commit ?? '',
    report?.commitUrl ?? '',
    report?.repository ?? '',
    String(isCompliant(counted(placed.verdict)) ?? 'unknown'),
    compliance === 'non-compliant' || compliance === 'waived' ? A_REASON : '',
    String(kind === 'started' ? placed.run.startedWith : placed.content.starts.length),
  ];
  return cells.map((cell) => (/^[=+\-@]/.test(cell) ? `'${cell}` : cell));
}

/** The four parts of a comparison of two snapshots. */
export function diffView(a: { id: string; snapshot: Snapshot }, b: { id: string; snapshot: Snapshot }): object {
  const before = groupsOf(a.snapshot);
  const after = groupsOf(b.snapshot);
  const inBoth = after.filter(({ key }) => before.some((group) => group.key === key));
  const earlier = (group: Group) => before.find(({ key }) => key === group.key);
  const isSame = (group: Group) =>
    earlier(group)?.count === group.count && earlier(group)?.names.join('\n') === group.names.join('\n');
  return {
    snappish1: {
      snapshot_id: a.id,
      artifacts: before
        .filter(({ key }) => !after.some((group) => group.key === key))
        .map((group) => ({
          ...group.shown,
          instance_count: group.count,
          s1_instance_count: group.count,
          s2_instance_count: null,
        })),
    },
    snappish2: {
      snapshot_id: b.id,
      artifacts: after
        .filter((group) => !inBoth.includes(group))
        .map((group) => ({
          ...group.shown,
          instance_count: group.count,
          s1_instance_count: null,
          s2_instance_count: group.count,
        })),
    },
    changed: {
      snapshot_id: null,
      artifacts: inBoth
        .filter((group) => !isSame(group))
        .map((group) => ({
          ...group.shown,
          previous_name: previousName(earlier(group), group),
          instance_count: null,
          s1_instance_count: earlier(group)?.count,
          s2_instance_count: group.count,
        })),
    },
    'not-changed': {
      snapshot_id: null,
      artifacts: inBoth.filter(isSame).map((group) => ({
        ...group.shown,
        instance_count: group.count,
        s1_instance_count: null,
        s2_instance_count: null,
      })),
    },
  };
}

function previousName(earlier: Group | undefined, { names: [name] }: Group): string | null {
  return earlier && name !== undefined && !earlier.names.includes(name) ? (earlier.names[0] ?? null) : null;
}

interface Group {
  readonly key: string;
  readonly count: number;
  readonly names: readonly string[];
  readonly shown: object;
}

function groupsOf({ running }: Snapshot): Group[] {
  const keyOf = ({ run }: Placed) => (run.fingerprint === '' ? `of ${run.name}` : run.fingerprint);
  const keys = [...new Set(running.map(keyOf))];
  return keys.map((key) => {
    const group = running.filter((placed) => keyOf(placed) === key);
    const [first] = group as [Placed];
    const starts = group.flatMap(({ content }) => content.starts);
    return {
      key,
      count: starts.length,
      names: group.map(({ run }) => run.name),
      shown: {
        fingerprint: first.run.fingerprint,
        name: first.run.name,
        previous_name: null,
        flow: first.provenance[0]?.flow.name ?? '',
        commit_url: first.provenance[0]?.commitUrl ?? '',
        most_recent_timestamp: Math.max(...starts),
        pods: group.flatMap(({ content }) => Object.keys(content.pods ?? {})).sort(),
      },
    };
  });
}
