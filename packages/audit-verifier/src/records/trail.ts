import { type Judgement, toComplianceStatus, toUnplaced } from '@waymark/compliance';
import { type Json, objectOf, textOf } from '../json.ts';
import type { JournalEntry } from '../ledger.ts';
import type { FlowFacts, PackageSubject } from '../subject.ts';

/** A trail as its entries tell. */
export interface TrailFacts {
  readonly id: string;
  readonly name: string;
  /** The flow was created by the first evidence that named it. */
  readonly autoCreated: boolean;
  readonly templateId: string;
  readonly createdAt: number;
  readonly createdBy: string | null;
  readonly lastModifiedAt: number;
  /** What was sent, later values over earlier ones. */
  readonly content: Json;
}

/** Returns undefined without the entry of its beginning, or if one of the entries is erased or missing. */
export function trailOf(entries: readonly JournalEntry[]): TrailFacts | undefined {
  const [first] = entries;
  if (first?.type !== 'trail.begun' || first.subjectSeq !== 1) return undefined;
  let content: Json = {};
  for (const [at, { payload, subjectSeq }] of entries.entries()) {
    if (!payload || subjectSeq !== at + 1) return undefined;
    content = { ...content, ...objectOf(payload['content']) };
  }
  const last = entries.at(-1) ?? first;
  return {
    id: first.subjectId,
    name: textOf(first.payload?.['name']),
    autoCreated: first.payload?.['auto_created'] === true,
    templateId: textOf(last.payload?.['template_id']),
    createdAt: first.at,
    createdBy: first.actor,
    lastModifiedAt: last.at,
    content,
  };
}

/** Members of a trail that no entry in the package tells. */
export const TRAIL_NOT_PROVEN: ReadonlySet<string> = new Set(['repo_ids']);

/** The record of a trail in a package about something else has no verdict. */
export function expectedIdentity(trail: TrailFacts, { org, exportedFrom, flowName }: PackageSubject): Json {
  const { content, id, name, autoCreated, createdAt, createdBy } = trail;
  return {
    id,
    org,
    flow_name: flowName,
    name,
    description: content['description'] ?? '',
    git_commit_info: content['git_commit_info'] ?? null,
    origin_url: content['origin_url'] ?? null,
    auto_created: autoCreated,
    created_at: createdAt,
    created_by: createdBy,
    html_url: `${exportedFrom}/${org}/flows/${flowName}/trails/${name}`,
  };
}

export interface JudgedTrail {
  readonly judgement: Judgement;
  readonly template: Json;
  /** As it was sent. */
  readonly templateContent: unknown;
  readonly flow: FlowFacts;
  /** When the newest of its events was recorded. */
  readonly newestAt: number;
}

export function expectedTrail(
  trail: TrailFacts,
  subject: PackageSubject,
  { judgement, template, templateContent, flow, newestAt }: JudgedTrail,
): Json {
  const { content, templateId, lastModifiedAt } = trail;
  const { auto_created: autoCreated, ...identity } = expectedIdentity(trail, subject);
  return {
    ...identity,
    git_commit_info: commitInfo(content['git_commit_info']),
    user_data: content['user_data'] ?? {},
    last_modified_at: Math.max(newestAt, lastModifiedAt),
    compliance_state: judgement.status,
    is_compliant: judgement.isCompliant,
    flow: { name: subject.flowName, tags: flow.tags },
    auto_created: autoCreated,
    external_urls: content['external_urls'] ?? {},
    repo_ids: undefined,
    template: { ...template, content: templateContent },
    compliance_status: toComplianceStatus(judgement, templateId, subject.exportedAt),
    pending: toUnplaced(judgement),
  };
}

/** Always present: clients do not check for them. */
function commitInfo(info: unknown): Json | null {
  if (info === undefined || info === null) return null;
  const { author, message, branch, url, timestamp, ...rest } = objectOf(info);
  return {
    ...rest,
    author: author ?? '',
    message: message ?? '',
    branch: branch ?? '',
    url: url ?? '',
    timestamp: timestamp ?? 0,
  };
}
