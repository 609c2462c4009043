import { ENGINE_VERSION, type Judgement, statusOfArtifact, toArtifactStatus, toExplanation } from '@waymark/compliance';
import type { Template } from '@waymark/template';
import { compareRecord } from './compare.ts';
import { textOf } from './json.ts';
import { judgeEvidence } from './judge.ts';
import { readTemplate } from './records/template.ts';
import { expectedIdentity, expectedTrail, TRAIL_NOT_PROVEN, type TrailFacts, trailOf } from './records/trail.ts';
import { evidenceOf, type TrailEvidence, verifyHistory } from './trail-evidence.ts';
import type { Verifying } from './verify-evidence.ts';

const TRAIL = 'records/trail.json';
const TEMPLATE = 'records/template.json';
const EXPLANATION = 'records/explanation.json';

/** Verifies the trail of a package, its history, and the verdicts that follow from its evidence. */
export function verifyTrail(verifying: Verifying): void {
  const { subject, outcome, flow, records } = verifying;
  const trail = findTrail(verifying);
  if (!trail) return;
  if (trail.name !== subject.trailName)
    outcome.findings.add(TRAIL, `is of trail ${trail.name}, not ${subject.trailName}`);
  if (flow.name !== undefined && flow.name !== subject.flowName)
    outcome.findings.add('manifest.json', `names the flow ${subject.flowName}; recorded was ${flow.name}`);
  const evidence = evidenceOf(verifying, trail, verifying.ledger.of('trail', trail.id));
  verifyHistory(verifying, evidence);
  outcome.proven.add(TRAIL);
  if (subject.kind !== 'trail')
    compareRecord(TRAIL, records.one(TRAIL)?.value ?? {}, expectedIdentity(trail, subject), outcome.findings);
  if (subject.kind === 'attestation') return;
  const template = templateOf(verifying, trail, evidence);
  if (template) verifyVerdicts(verifying, trail, template, evidence);
}

function findTrail({ records, ledger, outcome }: Verifying): TrailFacts | undefined {
  const { findings, unproven, recorded } = outcome;
  const record = records.one(TRAIL);
  if (!record) findings.add(TRAIL, 'is missing');
  const entries = ledger.of('trail', textOf(record?.value['id']));
  const trail = trailOf(entries);
  if (trail) return trail;
  const why =
    entries.length === 0 ? 'no journal entry in the package proves it' : 'an entry about it is missing or erased';
  unproven.set(TRAIL, why);
  recorded.push('the verdicts in the package, because it has no proof of the trail that they are about');
  return undefined;
}

/** Returns the template if the verdicts can be computed with it. */
function templateOf({ records, subject, outcome }: Verifying, trail: TrailFacts, evidence: TrailEvidence) {
  const { findings, recorded, proven } = outcome;
  const record = records.one(TEMPLATE);
  if (!record) findings.add(TEMPLATE, 'is missing');
  const template = record && readTemplate(record, trail.templateId, findings);
  if (template) proven.add(TEMPLATE);
  if (!template) recorded.push('the verdicts in the package, because it lacks the template that was recorded');
  else if (!evidence.isComplete) recorded.push('the verdicts in the package, because not every record is proven');
  else if (subject.engine !== ENGINE_VERSION)
    recorded.push(`the verdicts in the package, because ${subject.engine} made them, and this is ${ENGINE_VERSION}`);
  else return template;
  return undefined;
}

function verifyVerdicts(verifying: Verifying, trail: TrailFacts, template: Template, evidence: TrailEvidence): void {
  const { records, subject, outcome } = verifying;
  const byId = new Map(records.in('attestations').map((record) => [textOf(record.value['attestation_id']), record]));
  const judgement = judgeEvidence({ ...evidence, trail, template, records: byId });
  if (subject.kind === 'trail') compareTrail(verifying, trail, { judgement, template, evidence });
  compareArtifacts(verifying, trail, judgement);
  compareExplanation(verifying, trail, judgement);
  outcome.recomputed.push(...inWords(verifying, trail, judgement));
}

interface Computed {
  readonly judgement: Judgement;
  readonly template: Template;
  readonly evidence: TrailEvidence;
}

function compareTrail(
  { records, subject, outcome, flow }: Verifying,
  trail: TrailFacts,
  { judgement, template, evidence }: Computed,
): void {
  const { changes, artifacts, attestations, approvals } = evidence;
  const expected = expectedTrail(trail, subject, {
    judgement,
    template: { ...template },
    templateContent: records.one(TEMPLATE)?.value['content'],
    flow,
    newestAt: Math.max(...[...changes, ...artifacts, ...attestations, ...approvals].map(({ at }) => at)),
  });
  compareRecord(TRAIL, records.one(TRAIL)?.value ?? {}, expected, outcome.findings, TRAIL_NOT_PROVEN);
  outcome.asides.set(`${TRAIL}, repo_ids`, 'the IDs of repositories are not in the ledger');
}

function compareArtifacts({ records, subject, outcome }: Verifying, trail: TrailFacts, judgement: Judgement): void {
  for (const { path, value } of records.in('artifacts')) {
    const { template_reference_name: name, compliance_status } = value;
    const about = {
      id: textOf(value['id']),
      fingerprint: textOf(value['fingerprint']),
      template_name: typeof name === 'string' ? name : null,
    };
    if (!judgement.artifacts.some(({ fingerprint }) => fingerprint === about.fingerprint)) continue;
    const status = toArtifactStatus(statusOfArtifact(judgement, about), trail.templateId, subject.exportedAt);
    compareRecord(path, { compliance_status }, { compliance_status: status }, outcome.findings);
  }
}

/** The explanation is that of the trail, or of the artifact that the package is about. */
function compareExplanation({ records, subject, outcome }: Verifying, trail: TrailFacts, judgement: Judgement): void {
  const record = records.one(EXPLANATION);
  if (!record) {
    outcome.findings.add(EXPLANATION, 'is missing');
    return;
  }
  const explained = explanationsOf(judgement, subject.fingerprint);
  const wanted = explained.find(({ id }) => id === record.value['id']) ?? explained[0];
  const expected = {
    judged_by: { compliance: ENGINE_VERSION },
    flow_template_id: trail.templateId,
    evaluated_at: subject.exportedAt,
    ...(wanted ? (toExplanation(wanted) as object) : {}),
  };
  compareRecord(EXPLANATION, record.value, expected, outcome.findings);
  outcome.proven.add(EXPLANATION);
}

/** An artifact that was reported under several names has several. */
function explanationsOf(judgement: Judgement, fingerprint: string | null) {
  if (fingerprint === null) return [judgement.explanation];
  return judgement.artifacts.filter((it) => it.fingerprint === fingerprint).map(({ explanation }) => explanation);
}

function inWords({ subject }: Verifying, trail: TrailFacts, { artifacts, status, explanation }: Judgement): string[] {
  if (subject.kind === 'trail')
    return [
      `trail ${trail.name} is ${status}: ${explanation.because}`,
      ...artifacts.map((artifact) => `artifact ${artifact.name} is ${artifact.status}`),
    ];
  return artifacts
    .filter(({ fingerprint }) => fingerprint === subject.fingerprint)
    .map((artifact) => `artifact ${artifact.name} is ${artifact.status}: ${artifact.explanation.because}`);
}
