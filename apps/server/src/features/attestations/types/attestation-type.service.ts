import { hash } from 'node:crypto';
import { TYPE_SCHEMA_MAX_BYTES } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { invalid, invalidField, notFound, tooLarge } from '../../../platform/errors.ts';
import { emit, type Subject } from '../../../platform/journal/journal.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { SandboxFailed, SandboxTimeout } from '../../../platform/sandbox/sandbox-error.ts';
import { attestationTypeArchived, attestationTypeVersioned } from './attestation-type.entries.ts';
import * as store from './attestation-type.store.ts';

/** A schema of 64 KiB takes half a second on a busy machine, a hundred expressions another third (2026-11). */
const CHECK_TIMEOUT_MS = 2_000;

/** All versions are shown together. */
export const VERSIONS_MAX = 1_000;

export interface SummaryLine {
  readonly name: string;
  readonly expression: string;
}

export interface TypeDraft {
  readonly name: string;
  /** Absent changes nothing. */
  readonly description?: string;
  /** JSON text of a JSON Schema. */
  readonly schema: string | null;
  /** jq expressions; null selects the default evaluator, which has none. */
  readonly rules: readonly string[] | null;
  readonly summary: readonly SummaryLine[] | null;
  readonly comment?: string;
}

/** Creates the type with its first version, or adds a version, and returns its number. The draft has been checked. */
export function addVersion(ctx: Ctx, draft: TypeDraft): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockName(ctx.db, ctx.org, draft.name);
    const active = await store.findActive(ctx.db, ctx.org, draft.name);
    const { id, description, version } = active ? await advance(ctx, active, draft) : await create(ctx, draft);
    const { name, schema, rules, summary, comment } = draft;
    await store.insertVersion(ctx.db, {
      org_id: ctx.org,
      type_id: id,
      version,
      schema,
      rules,
      summary: summary && JSON.stringify(summary),
      comment: comment ?? null,
      created_at: ctx.now(),
      created_by: ctx.actor.name,
    });
    await emit(ctx, attestationTypeVersioned, subjectOf(id, version), {
      name,
      version,
      description,
      schema_sha256: schema === null ? null : hash('sha256', schema),
      rules: rules && [...rules],
      summary: summary && [...summary],
      ...(comment !== undefined && { comment }),
    });
    return version;
  });
}

async function create(ctx: Ctx, { name, description = '' }: TypeDraft) {
  const id = ctx.newId();
  await store.insertType(ctx.db, {
    org_id: ctx.org,
    id,
    name,
    description,
    revision: 1,
    created_at: ctx.now(),
    created_by: ctx.actor.name,
    last_modified_at: ctx.now(),
  });
  return { id, description, version: 1 };
}

async function advance(ctx: Ctx, active: store.TypeRow, { description = active.description }: TypeDraft) {
  if (active.revision >= VERSIONS_MAX) {
    throw invalidField(
      'name',
      `already has ${VERSIONS_MAX} versions, which is the maximum: archive the type to start over`,
    );
  }
  const version = await store.updateType(ctx.db, active, { description, last_modified_at: ctx.now() });
  return { id: active.id, description, version };
}

export async function archiveType(ctx: Ctx, name: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await store.lockName(ctx.db, ctx.org, name);
    const active = await store.findActive(ctx.db, ctx.org, name);
    if (!active) throw notFound('Attestation type', name);
    const now = ctx.now();
    const revision = await store.updateType(ctx.db, active, { archived_at: now, last_modified_at: now });
    await emit(ctx, attestationTypeArchived, subjectOf(active.id, revision), { name });
  });
}

/** Refuses what does not compile, or takes too long to compile. */
export async function checkDraft(ctx: Ctx, sandbox: Sandbox, { schema, rules, summary }: TypeDraft): Promise<void> {
  if (schema !== null && Buffer.byteLength(schema) > TYPE_SCHEMA_MAX_BYTES) {
    throw tooLarge(`type_schema is larger than ${TYPE_SCHEMA_MAX_BYTES} bytes`);
  }
  const check = await sandbox
    .run(ctx.org, 'checkType', () => ({ schema, rules: rules ?? [], summary: summary ?? [] }), {
      timeoutMs: CHECK_TIMEOUT_MS,
    })
    .catch((error: unknown) => {
      if (!(error instanceof SandboxTimeout || error instanceof SandboxFailed)) throw error;
      throw invalid('The schema or an expression takes too much time or memory to compile');
    });
  if (!check.ok) throw invalidField(check.field, check.problem);
}

function subjectOf(id: string, seq: number): Subject {
  return { kind: 'attestation_type', id, seq };
}
