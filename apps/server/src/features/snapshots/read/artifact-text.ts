import type { StoredRows } from '../../../platform/stored-json.ts';
import { annotationOf } from './annotation.ts';
import type { ArtifactFacts } from './artifact-facts.reads.ts';
import { diffUrl } from './diff-url-view.ts';
import { instancesText } from './instances-text.ts';
import { type PriorFacts, previousText } from './prior-facts.reads.ts';
import type { RunAt } from './snapshot.reads.ts';
import type { SnapshotContext } from './snapshot-context.reads.ts';

/** The name and URL of a flow, serialized once for all of its artifacts. */
export interface FlowText {
  /** A JSON member. */
  readonly name: string;
  /** JSON text without the quote at its end. */
  readonly url: string;
}

export interface TextContext {
  readonly index: number;
  readonly snapshotContext: SnapshotContext;
  readonly flowText: (flowId: string) => FlowText;
  readonly isRunning: (no: number) => boolean;
  /** The rows of `running_instances`, and the key of each. */
  readonly instances: StoredRows;
  readonly instancesKey: (no: number) => string;
}

/**
 * Marks the text of an artifact that depends on a damaged row. Quotes in names are escaped, so nothing else can match
 * it.
 */
export const DAMAGE_MARK = '"unreadable":true,';

const NO_PROVENANCE = '"flow_name":"","git_commit":"","commit_url":"","html_url":"","flow_html_url":""';
const NO_REPORT = previousText('', '', '', null);

/** A `SnapshotArtifact` as JSON text. */
export function artifactText(run: RunAt, context: TextContext): string {
  const isCompliant = run.compliance === 'compliant' || run.compliance === 'waived';
  const key = context.instancesKey(run.no);
  const instances = instancesText(run.detail, run.hasExited, (detail, instead) => {
    return context.instances.read(key, detail, instead);
  });
  const isDamaged = context.instances.isDamaged(key) || restsOnDamage(run, context.snapshotContext);
  return (
    `{"name":${JSON.stringify(run.name)},"fingerprint":"${run.fingerprint}",` +
    `${instances},` +
    `"annotation":{"type":"${annotationOf(run, context.index)}","was":${run.was},"now":${run.now}},` +
    `"compliant":${isCompliant},"compliance":"${run.compliance}",${isDamaged ? DAMAGE_MARK : ''}` +
    `${provenanceText(run, context)},"deployments":[${run.deployments.slice(1, -1)}],` +
    `${decisionsText(run, context)}}`
  );
}

function restsOnDamage(
  { decisionIds, evidenceId, artifactIds }: RunAt,
  { runDecisions, artifacts }: SnapshotContext,
): boolean {
  return (
    decisionIds.some((id) => runDecisions.decisions.get(id)?.isDamaged) ||
    runDecisions.statuses.get(evidenceId ?? '') === null ||
    artifactIds.some((id) => artifacts.get(id)?.isDamaged)
  );
}

function decisionsText({ decisionIds, waiverId }: RunAt, { snapshotContext: { runDecisions } }: TextContext): string {
  const decisions = decisionIds.flatMap((id) => runDecisions.decisions.get(id) ?? []);
  const reasons = decisions.flatMap((decision) => decision.reasons || []);
  const waiver = waiverId === null ? undefined : runDecisions.waivers.get(waiverId);
  return (
    `"policy_decisions":[${decisions.map(({ shown }) => shown).join()}],` +
    `"reasons_for_incompliance":[${reasons.join()}],"allow_listing":${waiver ?? 'null'}`
  );
}

/** Provenance: the newest report, and all of them. */
function provenanceText(run: RunAt, context: TextContext): string {
  let newest: string | undefined;
  const flows: string[] = [];
  const statuses = context.snapshotContext.runDecisions.statuses.get(run.evidenceId ?? '');
  for (const id of run.artifactIds) {
    const artifact = context.snapshotContext.artifacts.get(id);
    if (!artifact) continue;
    const place = placeText(artifact, context);
    const since = sinceText(run, artifact, context);
    newest ??= `${place},${artifact.commitText},${since}`;
    const reported = reportedText(run, artifact);
    flows.push(
      `{${place},${artifact.reportText},${reported},${since},${statuses?.get(artifact.flowId) ?? NOT_JUDGED}}`,
    );
  }
  return `${newest ?? `${NO_PROVENANCE},${sinceText(run, undefined, context)}`},"flows":[${flows.join()}]`;
}

/** The subject of the report, where that is the index of an image, or a platform of an index. */
function reportedText({ fingerprint }: RunAt, artifact: ArtifactFacts): string {
  if (artifact.fingerprint === fingerprint) return '"reported_as":null';
  const platform = artifact.platforms.get(fingerprint) ?? artifact.platforms.get(artifact.fingerprint) ?? null;
  return `"reported_as":{"fingerprint":"${artifact.fingerprint}","platform":${JSON.stringify(platform)}}`;
}

const NOT_JUDGED = '"artifact_compliance_in_flow":false,"compliance":"unknown","flow_reasons_for_non_compliance":[]';

function placeText({ id, flowId, fingerprint }: ArtifactFacts, { flowText }: TextContext): string {
  const { name, url } = flowText(flowId);
  return `${name},"html_url":${url}/artifacts/${fingerprint}?artifact_id=${id}","flow_html_url":${url}"`;
}

/** The run that it replaced, and the lead time from the commit. */
function sinceText(run: RunAt, artifact: ArtifactFacts | undefined, context: TextContext): string {
  return `"deployment_diff":${diffText(run, artifact, context)},"commit_lead_time":${leadTime(run, artifact, context)}`;
}

function leadTime(run: RunAt, artifact: ArtifactFacts | undefined, { snapshotContext }: TextContext): number | null {
  if (artifact?.committedAt == null) return null;
  const startedAt = snapshotContext.madeAt.get(run.startedIn);
  return startedAt === undefined ? null : Math.round(startedAt - artifact.committedAt * 1000) / 1000;
}

/** A `DeploymentDiff` as JSON text. */
function diffText(
  run: RunAt,
  artifact: ArtifactFacts | undefined,
  { snapshotContext, isRunning }: TextContext,
): string {
  const previous = run.replacedNo === null ? undefined : snapshotContext.replaced.get(run.replacedNo);
  if (!previous) return 'null';
  const report = reportOf(previous.artifactIds, artifact?.flowId, snapshotContext);
  return (
    `{"diff_url":${JSON.stringify(diffUrl(report?.commitPage, artifact?.commitPage))},` +
    `${report?.previousText ?? NO_REPORT},"previous_fingerprint":"${previous.fingerprint}",` +
    `"previous_artifact_name":${JSON.stringify(previous.name)},` +
    `"previous_artifact_compliance_state":"${previous.compliance}","previous_running":${isRunning(previous.no)}}`
  );
}

/** The report into the same flow, or else the newest one. */
function reportOf(ids: readonly string[], flowId: string | undefined, { priors }: SnapshotContext) {
  let newest: PriorFacts | undefined;
  for (const id of ids) {
    const report = priors.get(id);
    if (report && report.flowId === flowId) return report;
    newest ??= report;
  }
  return newest;
}
