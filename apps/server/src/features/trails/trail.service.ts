import type { GitCommitInfo, RepoInfo } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { notFound } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import {
  createFromEvidence,
  findFlowByName,
  type KnownFlow,
  type PutOutcome,
  requireValidTemplate,
} from '../flows/flow.service.ts';
import { pinTemplate } from '../flows/template.service.ts';
import { rememberRepository } from '../repos/repo.service.ts';
import { trailBegun, trailUpdated } from './trail.entries.ts';
import * as store from './trail.store.ts';

/** Absent keys change nothing. */
export interface TrailChange {
  readonly name: string;
  readonly description?: string;
  readonly user_data?: unknown;
  readonly git_commit_info?: GitCommitInfo;
  readonly repo_info?: RepoInfo;
  readonly external_urls?: Record<string, unknown>;
  readonly origin_url?: string;
  readonly template?: string;
}

export type KnownTrail = Pick<store.TrailRow, 'id' | 'name' | 'flow_id' | 'receipt' | 'template_id' | 'auto_created'>;

/** Begins a trail or changes what is sent. Racing identical requests all succeed, with one beginning recorded. */
export async function putTrail(ctx: Ctx, flowName: string, change: TrailChange): Promise<PutOutcome> {
  requireValidTemplate(change.template);
  return inTransaction(ctx, async (ctx) => {
    const flow = await findFlowByName(ctx, flowName);
    if (!flow) throw notFound('Flow', flowName);
    await store.lockTrailName(ctx.db, ctx.org, flow.id, change.name);
    const trail = await store.findTrail(ctx.db, ctx.org, flow.id, change.name);
    if (trail) return patchTrail(ctx, flow, trail, change);
    await beginTrail(ctx, flow, change, flow.auto_created);
    return 'created';
  });
}

/** Reports into a trail that may have to be begun wait here, before they write anything. */
export function lockTrail(ctx: Ctx, flow: Pick<KnownFlow, 'id'>, name: string): Promise<void> {
  return store.lockTrailName(ctx.db, ctx.org, flow.id, name);
}

/** Returns the trail that evidence is reported into, and begins it with the template of its flow if needed. */
export async function ensureTrail(ctx: Ctx, flow: KnownFlow, name: string): Promise<KnownTrail> {
  await store.lockTrailName(ctx.db, ctx.org, flow.id, name);
  const trail = await store.findTrail(ctx.db, ctx.org, flow.id, name);
  return trail ?? beginTrail(ctx, flow, { name }, flow.auto_created);
}

/** Makes the trail searchable by a commit that it, or something in it, reports. */
export function recordCommit(ctx: Ctx, trail: Pick<KnownTrail, 'id' | 'receipt'>, commit: string): Promise<void> {
  return store.insertTrailCommit(ctx.db, ctx.org, trail, commit);
}

/** Does the same for evidence about an unknown flow: creates one that requires nothing, and is marked as such. */
export async function ensureFlowAndTrail(
  ctx: Ctx,
  flowName: string,
  trailName: string,
): Promise<{ flow: KnownFlow; trail: KnownTrail }> {
  const flow = (await findFlowByName(ctx, flowName)) ?? (await createFromEvidence(ctx, flowName));
  return { flow, trail: await ensureTrail(ctx, flow, trailName) };
}

async function beginTrail(
  ctx: Ctx,
  flow: KnownFlow,
  change: TrailChange,
  autoCreated: boolean,
): Promise<store.TrailRow> {
  const { name, template, ...content } = change;
  const now = ctx.now();
  const templateId = await pinTemplate(
    ctx.db,
    ctx.org,
    template === undefined ? flow : { template, template_names: null },
  );
  const trail = await store.insertTrail(ctx.db, {
    org_id: ctx.org,
    id: ctx.newId(),
    flow_id: flow.id,
    name,
    ...columnsOf(change),
    description: change.description ?? '',
    repository_id: change.repo_info ? await rememberRepository(ctx, change.repo_info) : null,
    template_id: templateId,
    auto_created: autoCreated,
    revision: 1,
    created_at: now,
    created_by: ctx.actor.name,
    last_modified_at: now,
  });
  await recordEvent(ctx, trail, 'trail_reported', []);
  if (trail.commit_sha) await recordCommit(ctx, trail, trail.commit_sha);
  await emit(
    ctx,
    trailBegun,
    { kind: 'trail', id: trail.id, seq: 1 },
    { flow: flow.name, name, template_id: templateId, content, auto_created: autoCreated },
  );
  return trail;
}

async function patchTrail(
  ctx: Ctx,
  flow: KnownFlow,
  trail: store.TrailRow,
  change: TrailChange,
): Promise<'updated' | 'unchanged'> {
  const { name, template, repo_info, ...content } = change;
  // In the order in which a trail is begun, to avoid deadlocks between the two.
  const templateId =
    template === undefined ? undefined : await pinTemplate(ctx.db, ctx.org, { template, template_names: null });
  const repositoryId = repo_info && (await rememberRepository(ctx, repo_info));
  const wanted = {
    ...columnsOf(change),
    ...(repositoryId !== undefined && { repository_id: repositoryId }),
    ...(templateId !== undefined && { template_id: templateId }),
  };
  const changed = Object.entries(wanted).filter(([column, value]) => trail[column as keyof typeof wanted] !== value);
  if (changed.length === 0) return 'unchanged';
  const changes = [...new Set(changed.map(([column]) => CHANGE_NAMES[column] ?? column))];
  const revision = await store.updateTrail(ctx.db, trail, {
    ...Object.fromEntries(changed),
    last_modified_at: ctx.now(),
  });
  await recordEvent(ctx, trail, 'trail_updated', changes);
  if (wanted.commit_sha) await recordCommit(ctx, trail, wanted.commit_sha);
  await emit(
    ctx,
    trailUpdated,
    { kind: 'trail', id: trail.id, seq: revision },
    {
      flow: flow.name,
      name,
      template_id: wanted.template_id ?? trail.template_id,
      content: { ...content, ...(repo_info && { repo_info }) },
      changes,
    },
  );
  return 'updated';
}

/** Columns that follow from a key of another name. */
const CHANGE_NAMES: Record<string, string> = {
  commit_sha: 'git_commit_info',
  branch: 'git_commit_info',
  repository_id: 'repo_info',
  template_id: 'template',
};

function columnsOf(change: TrailChange) {
  const commit = change.git_commit_info;
  return {
    ...(change.description !== undefined && { description: change.description }),
    ...(change.user_data !== undefined && { user_data: JSON.stringify(change.user_data) }),
    ...(commit && {
      git_commit_info: JSON.stringify(commit),
      commit_sha: commit.sha1,
      branch: commit.branch ?? null,
    }),
    ...(change.external_urls && { external_urls: JSON.stringify(change.external_urls) }),
    ...(change.origin_url !== undefined && { origin_url: change.origin_url }),
  };
}

async function recordEvent(
  ctx: Ctx,
  trail: store.TrailRow,
  type: 'trail_reported' | 'trail_updated',
  changes: string[],
): Promise<void> {
  await store.insertTrailEvent(ctx.db, {
    org_id: ctx.org,
    trail_id: trail.id,
    type,
    changes,
    created_at: ctx.now(),
    created_by: ctx.actor.name,
  });
}
