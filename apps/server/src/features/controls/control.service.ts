import { allows, leastRole } from '@waymark/contract';
import canonicalize from 'canonicalize';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { conflict, forbidden, notFound } from '../../platform/errors.ts';
import { emit, type Subject } from '../../platform/journal/journal.ts';
import * as entries from './control.entries.ts';
import * as store from './control.store.ts';

export interface ControlContent {
  readonly name: string;
  readonly description: string;
  readonly links: Readonly<Record<string, string>>;
}

export async function createControl(ctx: Ctx, identifier: string, content: ControlContent): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const taken = await store.lockControl(ctx.db, ctx.org, identifier);
    if (taken) throw conflict(`Control '${identifier}' already exists${taken.archived_at ? ', and is archived' : ''}`);
    const control = await store.insertControl(ctx.db, {
      org_id: ctx.org,
      id: ctx.newId(),
      identifier,
      ...content,
      links: linksText(content.links),
      version: 1,
      revision: 1,
      created_at: ctx.now(),
      created_by: ctx.actor.name,
    });
    await addVersion(ctx, control, 'Created');
    await emit(ctx, entries.controlCreated, subjectOf(control), { ...numberOf(control), ...content });
  });
}

/** Absent parts stay unchanged. A request that changes nothing makes no version. */
export async function editControl(ctx: Ctx, identifier: string, patch: Partial<ControlContent>): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const control = await lockOrRefuse(ctx, identifier);
    const changed = changedParts(control, patch);
    if (Object.keys(changed).length === 0) return;
    const edited = await store.updateControl(ctx.db, control, {
      ...changed,
      links: changed.links ? linksText(changed.links) : control.links,
      version: control.version + 1,
    });
    await addVersion(ctx, edited, 'Edited');
    await emit(ctx, entries.controlEdited, subjectOf(edited), { ...numberOf(edited), ...changed });
  });
}

export async function archiveControl(ctx: Ctx, identifier: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const control = await lockOrRefuse(ctx, identifier);
    if (control.archived_at) return;
    const change = { archived_at: ctx.now(), version: control.version + 1 };
    const archived = await store.updateControl(ctx.db, control, change);
    await addVersion(ctx, archived, 'Archived');
    await emit(ctx, entries.controlArchived, subjectOf(archived), numberOf(archived));
  });
}

export async function unarchiveControl(ctx: Ctx, identifier: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const control = await lockOrRefuse(ctx, identifier);
    if (!control.archived_at) return;
    const change = { archived_at: null, version: control.version + 1 };
    const active = await store.updateControl(ctx.db, control, change);
    await addVersion(ctx, active, 'Unarchived');
    await emit(ctx, entries.controlUnarchived, subjectOf(active), numberOf(active));
  });
}

/** Locks a control for a change of its tags. Tagging is editing, which only an admin may do. */
export async function lockForTagging(ctx: Ctx, identifier: string) {
  const { actor } = ctx;
  if (actor.kind !== 'system' && !allows(actor.role, 'manage_controls')) {
    throw forbidden(`Tagging a control requires the ${leastRole('manage_controls')} role; yours is ${actor.role}`);
  }
  const control = await lockOrRefuse(ctx, identifier);
  return {
    kind: 'control',
    id: control.id,
    async record(changes: { set: Record<string, string>; removed: string[] }): Promise<void> {
      const tagged = await store.updateControl(ctx.db, control, {});
      await emit(ctx, entries.controlTagged, subjectOf(tagged), { identifier, ...changes });
    },
  };
}

async function lockOrRefuse(ctx: Ctx, identifier: string): Promise<store.ControlRow> {
  const control = await store.lockControl(ctx.db, ctx.org, identifier);
  if (!control) throw notFound('Control', identifier);
  return control;
}

async function addVersion(ctx: Ctx, control: store.ControlRow, kind: store.ControlVersionRow['kind']): Promise<void> {
  const { org_id, id, version, name, description, links } = control;
  await store.insertVersion(ctx.db, {
    org_id,
    control_id: id,
    version,
    kind,
    name,
    description,
    links,
    created_at: ctx.now(),
    created_by: ctx.actor.name,
  });
}

function changedParts(control: store.ControlRow, { name, description, links }: Partial<ControlContent>) {
  return {
    ...(name !== undefined && name !== control.name && { name }),
    ...(description !== undefined && description !== control.description && { description }),
    ...(links !== undefined && linksText(links) !== control.links && { links }),
  };
}

/** Equal links have equal text. */
function linksText(links: ControlContent['links']): string {
  return canonicalize(links) ?? '{}';
}

function numberOf({ identifier, version }: store.ControlRow) {
  return { identifier, version };
}

function subjectOf({ id, revision }: store.ControlRow): Subject {
  return { kind: 'control', id, seq: revision };
}
