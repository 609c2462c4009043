import { describeProblems, parseTemplate, templateFromNames } from '@waymark/template';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { isUniqueViolation } from '../../platform/db/failure.ts';
import { invalidField, notFound, unavailable } from '../../platform/errors.ts';
import { seal } from '../../platform/journal/entry.ts';
import { attribution, emit, type Subject } from '../../platform/journal/journal.ts';
import { createRecognition } from '../../platform/recognition.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { screenYaml } from '../../platform/sandbox/screen-yaml.ts';
import { flowArchived, flowAutoCreated, flowCreated, flowRenamed, flowTagged, flowUpdated } from './flow.entries.ts';
import * as store from './flow.store.ts';

/** Pipelines send the same template with every run; parsing takes 0.5 ms, recognizing it a hash. */
const accepted = createRecognition(1_000);

const EMPTY_TEMPLATE = 'version: 1\n';

/** Absent keys change nothing. */
export interface FlowChange {
  readonly name: string;
  readonly description?: string;
  readonly visibility?: string;
  readonly template?: string | string[];
  readonly repo_url?: string;
}

export type PutOutcome = 'created' | 'updated' | 'unchanged';

export async function putFlow(ctx: Ctx, change: FlowChange): Promise<PutOutcome> {
  requireValidTemplate(change.template);
  const { name, template } = change;
  // Only the write shows whether it creates the flow; both entries have the same payload.
  const sealed = seal(flowCreated, change);
  const [written] = await store.putFlow(ctx.db, {
    ...attribution(ctx),
    id: ctx.newId(),
    entry_id: ctx.newId(),
    name,
    description: change.description ?? null,
    visibility: change.visibility ?? null,
    template: typeof template === 'string' ? template : null,
    template_names: Array.isArray(template) ? template : null,
    repo_url: change.repo_url ?? null,
    default_template: EMPTY_TEMPLATE,
    created_type: flowCreated.type,
    created_version: flowCreated.version,
    updated_type: flowUpdated.type,
    updated_version: flowUpdated.version,
    payload: sealed.payload,
    nonce: sealed.nonce,
    digest: sealed.digest,
  });
  if (!written) return 'unchanged';
  return written.created ? 'created' : 'updated';
}

/** Throws the faults of a template that is too large to parse on the main thread unchecked. */
export async function screenTemplate(ctx: Ctx, sandbox: Sandbox, text: FlowChange['template']): Promise<void> {
  if (typeof text !== 'string' || accepted.has(text)) return;
  const problems = await screenYaml(ctx.org, sandbox, { kind: 'template', field: 'template', text });
  if (problems.length > 0) throw invalidTemplate(problems);
}

/** Throws the faults of a template, with line and column. */
export function requireValidTemplate(template: FlowChange['template']): void {
  if (template === undefined || (typeof template === 'string' && accepted.has(template))) return;
  const parsed = typeof template === 'string' ? parseTemplate(template) : templateFromNames(template);
  if (!parsed.ok) throw invalidTemplate(parsed.problems);
  if (typeof template === 'string') accepted.add(template);
}

function invalidTemplate(problems: Parameters<typeof describeProblems>[0]) {
  return invalidField('template', `is not a valid template: ${describeProblems(problems)}`);
}

/** Renaming to the name it already has changes nothing, so racing renames all succeed. */
export async function renameFlow(ctx: Ctx, name: string, newName: string): Promise<'renamed' | 'unchanged'> {
  try {
    return await inTransaction(ctx, async (ctx) => {
      const flow = await lockOrRefuse(ctx, name, newName);
      if (flow.name === newName) return 'unchanged';
      const revision = await store.updateFlow(ctx.db, flow, { name: newName, last_modified_at: ctx.now() });
      await store.deleteAlias(ctx.db, ctx.org, newName);
      await store.upsertAlias(ctx.db, ctx.org, flow.name, flow.id);
      await emit(ctx, flowRenamed, subjectOf(flow, revision), { from: flow.name, to: newName });
      return 'renamed';
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'flow_name')) throw error;
    throw invalidField('new_name', `is taken: flow '${newName}' already exists`);
  }
}

export async function archiveFlow(ctx: Ctx, name: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const flow = await lockOrRefuse(ctx, name);
    const now = ctx.now();
    const revision = await store.updateFlow(ctx.db, flow, { archived_at: now, last_modified_at: now });
    await store.deleteAliases(ctx.db, ctx.org, flow.id);
    await emit(ctx, flowArchived, subjectOf(flow, revision), { name: flow.name });
  });
}

export type KnownFlow = Pick<store.FlowRow, 'id' | 'name' | 'template' | 'template_names' | 'auto_created'>;

export function findFlowByName(ctx: Ctx, name: string): Promise<KnownFlow | undefined> {
  return store.findFlow(ctx.db, ctx.org, name);
}

/** Creates a flow for evidence that names an unknown one. It requires nothing, and shows where it came from. */
export async function createFromEvidence(ctx: Ctx, name: string): Promise<KnownFlow> {
  await store.lockFlowName(ctx.db, ctx.org, name);
  const known = await store.findFlow(ctx.db, ctx.org, name);
  if (known) return known;
  const now = ctx.now();
  const flow = await store.insertFlow(ctx.db, {
    org_id: ctx.org,
    id: ctx.newId(),
    name,
    description: '',
    visibility: 'private',
    template: EMPTY_TEMPLATE,
    template_names: null,
    repo_url: '',
    auto_created: true,
    revision: 1,
    created_at: now,
    created_by: ctx.actor.name,
    last_modified_at: now,
    latest_activity_at: now,
  });
  await emit(ctx, flowAutoCreated, subjectOf(flow, 1), { name });
  return flow;
}

/** Locks a flow for a change of its tags. `record` appends the journal entry. */
export async function lockForTagging(ctx: Ctx, name: string) {
  const flow = await lockOrRefuse(ctx, name);
  return {
    kind: 'flow',
    id: flow.id,
    async record(changes: { set: Record<string, string>; removed: string[] }): Promise<void> {
      const revision = await store.updateFlow(ctx.db, flow, { last_modified_at: ctx.now() });
      await emit(ctx, flowTagged, subjectOf(flow, revision), { name: flow.name, ...changes });
    },
  };
}

const RENAMED_MEANWHILE_MAX = 5;

/** Locks the flow, and the other name, until the transaction ends. */
async function lockOrRefuse(ctx: Ctx, name: string, otherName?: string): Promise<store.FlowRow> {
  for (let attempt = 0; attempt < RENAMED_MEANWHILE_MAX; attempt++) {
    const flow = await store.findFlow(ctx.db, ctx.org, name);
    if (!flow) throw notFound('Flow', name);
    // In one order, so that two renames cannot deadlock.
    const names = [flow.name, ...(otherName === undefined ? [] : [otherName])].sort();
    for (const one of names) await store.lockFlowName(ctx.db, ctx.org, one);
    const locked = await store.lockFlow(ctx.db, ctx.org, name);
    if (locked?.name === flow.name) return locked;
  }
  throw unavailable(`Flow '${name}' is being renamed repeatedly. Try again shortly`);
}

function subjectOf(flow: store.FlowRow, revision: number): Subject {
  return { kind: 'flow', id: flow.id, seq: revision };
}
