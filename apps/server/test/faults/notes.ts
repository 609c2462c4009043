import { z } from 'zod';
import { type Ctx, inTransaction } from '../../src/platform/ctx.ts';
import { defineEntry } from '../../src/platform/journal/entry.ts';
import { emit } from '../../src/platform/journal/journal.ts';

const noteTaken = defineEntry({
  type: 'note.taken',
  version: 1,
  summary: 'For these tests: an entry of any size, in a transaction of any length',
  payload: z.strictObject({ text: z.string() }),
});

/** Records a note; its transaction stays open until `meanwhile` is done. */
export async function takeNote(ctx: Ctx, text: string, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await emit(ctx, noteTaken, { kind: 'note', id: ctx.newId(), seq: 1 }, { text });
    await meanwhile();
  });
}
