import type { z } from 'zod';
import type { Ctx } from '../../platform/ctx.ts';
import { type EntryType, seal } from '../../platform/journal/entry.ts';
import { attribution } from '../../platform/journal/journal.ts';
import { inParts } from './in-parts.ts';
import type { Told } from './snapshot.store.ts';

/** The entries for a list of changes: one, or several when the list is long. */
export function told<Shape extends z.ZodType, Item>(
  ctx: Ctx,
  type: EntryType<Shape>,
  changes: readonly Item[],
  payloadOf: (part: readonly Item[]) => Omit<z.input<Shape>, 'part' | 'parts'>,
): Told & { org_id: string } {
  const parts = inParts(changes);
  const sealed = parts.map((part, i) =>
    seal(type, { ...payloadOf(part), part: i + 1, parts: parts.length } as z.input<Shape>),
  );
  return {
    ...attribution(ctx),
    entry_type: type.type,
    entry_ids: sealed.map(() => ctx.newId()),
    payloads: sealed.map((entry) => entry.payload),
    nonces: sealed.map((entry) => entry.nonce),
    digests: sealed.map((entry) => entry.digest),
  };
}
