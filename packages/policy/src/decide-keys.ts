import type { DecisionContext } from './decision-context.ts';
import type {
  ArtifactEvidence,
  AttestationEvidence,
  FlowEvidence,
  PullRequestEvidence,
  RecordedBy,
  StatementEvidence,
} from './evidence.ts';
import { flowKey, inOrder } from './judge-evidence.ts';
import type { Policy, Reads, Scope } from './rule.ts';

/**
 * The part of the context that this policy reads: the same text means the same decision on the same evidence. Keys are
 * ordered by name.
 */
export function contextKey({ reads, isTimed }: Policy, { artifactName, environment, at }: DecisionContext): string {
  const artifact = reads.artifactName ? JSON.stringify(artifactName) : 'null';
  const time = isTimed ? `"at":${at ?? 0},` : '';
  return `{"artifact":${artifact},${time}"environment":${environment === null ? 'null' : environmentText(reads, environment)}}`;
}

function environmentText(reads: Reads, { name, tags }: NonNullable<Scope['environment']>): string {
  const read = Object.keys(tags).filter((key) => reads.environmentTags.includes(key));
  return `{"name":${reads.environmentName ? JSON.stringify(name) : 'null'},"tags":${textOfTags(tags, read)}}`;
}

/** All of the evidence as JSON, the same text for the same evidence in any order. */
export function evidenceKey({ fingerprint, flows, isCut, listedIn, platforms }: ArtifactEvidence): string {
  const members = [`"fingerprint":${JSON.stringify(fingerprint)}`, `"flows":${flowsText(flows)}`];
  if (isCut) members.push('"isCut":true');
  if (listedIn) {
    const { index, platform, reported } = listedIn;
    members.push(`"listedIn":${JSON.stringify({ index, platform, reported: reported.toSorted() })}`);
  }
  if (platforms) {
    const parts = inOrder(platforms, ({ platform, fingerprint }) => ({ name: platform, id: fingerprint })).map(
      (part) =>
        `{"fingerprint":${JSON.stringify(part.fingerprint)},"flows":${flowsText(part.flows)},` +
        `"platform":${JSON.stringify(part.platform)}}`,
    );
    members.push(`"platforms":[${parts.join(',')}]`);
  }
  return `{${members.join(',')}}`;
}

function flowsText(flows: readonly FlowEvidence[]): string {
  return `[${inOrder(flows, flowKey).map(flowText).join(',')}]`;
}

/** Reads the output of `evidenceKey`. */
export function readEvidence(text: string): ArtifactEvidence {
  return JSON.parse(text) as ArtifactEvidence;
}

function flowText({
  flow,
  trail,
  artifactId,
  index,
  status,
  because,
  changedBy,
  commit,
  fix,
  attestations,
}: FlowEvidence): string {
  const list = inOrder(attestations, (attestation) => attestation).map(attestationText);
  const { id, name, tags } = flow;
  return [
    `{"artifactId":${JSON.stringify(artifactId)}`,
    `"attestations":[${list.join(',')}]`,
    `"because":${JSON.stringify(because)}`,
    ...(changedBy === undefined
      ? []
      : [`"changedBy":${JSON.stringify({ authors: changedBy.authors, committers: changedBy.committers })}`]),
    ...(commit === undefined ? [] : [`"commit":${JSON.stringify(commit)}`]),
    `"fix":${JSON.stringify(fix)}`,
    `"flow":{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"tags":${textOfTags(tags, Object.keys(tags))}}`,
    ...(index ? [`"index":${JSON.stringify({ fingerprint: index.fingerprint, platform: index.platform })}`] : []),
    `"status":${JSON.stringify(status)}`,
    `"trail":${JSON.stringify({ id: trail.id, name: trail.name })}}`,
  ].join(',');
}

function attestationText(attestation: AttestationEvidence): string {
  const { at, control, findings, id, isCompliant, isOverride, issues } = attestation;
  const { licenses, name, pullRequests, reasons, recordedBy, statements, trust, type, vex } = attestation;
  return JSON.stringify({
    at,
    control,
    findings: findings && { count: findings.count, set: findings.set },
    id,
    isCompliant,
    isOverride,
    issues: issues?.map(({ exists, key, status }) => ({ exists, key, status })),
    licenses: licenses?.map(({ components, count, expression }) => ({ components, count, expression })),
    name,
    pullRequests: pullRequests?.map(pullRequestInOrder) ?? null,
    reasons,
    ...(recordedBy && { recordedBy: recordedByInOrder(recordedBy) }),
    ...(statements && { statements: statements.map(statementInOrder) }),
    trust,
    type,
    vex: vex && { count: vex.count, set: vex.set },
  });
}

/** What is undefined is left out. */
function recordedByInOrder({ aliases, groups, id, kind, name, role }: RecordedBy) {
  return { aliases, groups, id, kind, name, role };
}

function pullRequestInOrder({ approvers, author, commitAuthors, committers, headCommit, url }: PullRequestEvidence) {
  return {
    approvers: approvers.map(({ commit, state, user }) => ({ commit, state, user })),
    author,
    commitAuthors,
    committers,
    headCommit,
    url,
  };
}

/** What is undefined is left out. */
function statementInOrder(statement: StatementEvidence) {
  const { builder, buildType, isVerified, isWithdrawn, policyUri, predicateType, properties, result } = statement;
  const { materialCount, materials, signers, source, verifiedLevels, verifier } = statement;
  return {
    buildType,
    builder,
    isVerified,
    isWithdrawn,
    materialCount,
    materials,
    policyUri,
    predicateType,
    properties,
    result,
    signers: signers.map((signer) =>
      signer.kind === 'key'
        ? { id: signer.id, kind: signer.kind, name: signer.name }
        : { identity: signer.identity, issuer: signer.issuer, kind: signer.kind },
    ),
    source: source && { commit: source.commit, ref: source.ref, repository: source.repository },
    verifiedLevels,
    verifier,
  };
}

/** Written by hand: an object would put numeric keys first, and treat `__proto__` specially. */
function textOfTags(tags: Readonly<Record<string, string>>, keys: readonly string[]): string {
  const members = keys.toSorted().map((key) => `${JSON.stringify(key)}:${JSON.stringify(tags[key])}`);
  return `{${members.join(',')}}`;
}
