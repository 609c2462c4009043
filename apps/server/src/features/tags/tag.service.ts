import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { invalidField } from '../../platform/errors.ts';
import * as controls from '../controls/control.service.ts';
import * as environments from '../environment-settings/environment.service.ts';
import * as flows from '../flows/flow.service.ts';
import * as repos from '../repos/repo.service.ts';
import * as store from './tag.store.ts';

export interface TagChanges {
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** What can have tags. Each kind locks its subject and records the change as its own. */
const taggable = {
  flow: flows.lockForTagging,
  environment: environments.lockForTagging,
  repository: repos.lockForTagging,
  control: controls.lockForTagging,
};

export type TaggableKind = keyof typeof taggable;

/** Changes without effect are not recorded, so repeating a request is harmless. */
export async function changeTags(ctx: Ctx, kind: TaggableKind, name: string, changes: TagChanges): Promise<void> {
  const both = changes.remove.find((key) => Object.hasOwn(changes.set, key));
  if (both !== undefined) throw invalidField('remove_tags', `contains '${both}', which is also in set_tags`);
  await inTransaction(ctx, async (ctx) => {
    const subject = await taggable[kind](ctx, name);
    const current = await store.listTags(ctx.db, ctx.org, subject);
    const set = Object.entries(changes.set).filter(([key, value]) => current.get(key) !== value);
    const removed = [...new Set(changes.remove)].filter((key) => current.has(key));
    if (set.length === 0 && removed.length === 0) return;
    await store.upsertTags(ctx.db, ctx.org, subject, set);
    await store.deleteTags(ctx.db, ctx.org, subject, removed);
    await subject.record({ set: Object.fromEntries(set), removed });
  });
}
