import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { noLog, startApi } from '../../test/harness.ts';
import { type Ctx, inTransaction, systemCtx } from './ctx.ts';
import { inRolledBackTransaction } from './rolled-back.ts';

const api = await startApi();
const ctx = systemCtx(api.db, api.org.id, 'tests', noLog);

async function note({ db, org, newId }: Ctx, value: string): Promise<void> {
  await db
    .insertInto('tag')
    .values({ org_id: org, subject_kind: 'note', subject_id: newId(), key: 'k', value })
    .execute();
}

async function notes(value: string, { db, org }: Ctx = ctx): Promise<number> {
  const found = await db.selectFrom('tag').select('key').where('org_id', '=', org).where('value', '=', value).execute();
  return found.length;
}

const lock = ({ db }: Ctx, key: number) => sql`select pg_advisory_xact_lock(${key})`.execute(db);

it('gives the outcome of what it undoes', async () => {
  const seen = await inRolledBackTransaction(ctx, async (ctx) => {
    await note(ctx, 'undone');
    // Joins the open transaction, as services do.
    await inTransaction(ctx, (ctx) => note(ctx, 'undone'));
    return notes('undone', ctx);
  });
  expect(seen).toBe(2);
  expect(await notes('undone')).toBe(0);
});

it('passes on what went wrong', async () => {
  const failing = inRolledBackTransaction(ctx, async (ctx) => {
    await note(ctx, 'failed');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await notes('failed')).toBe(0);
});

it('is run again when two wait for each other', async () => {
  let runs = 0;
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const cross = async (ctx: Ctx, first: number, second: number) => {
    runs++;
    await note(ctx, 'crossed');
    await lock(ctx, first);
    if (++waiting === 2) both.resolve();
    await both.promise;
    await lock(ctx, second);
    return notes('crossed', ctx);
  };
  const seen = await Promise.all([
    inRolledBackTransaction(ctx, (ctx) => cross(ctx, 1, 2)),
    inRolledBackTransaction(ctx, (ctx) => cross(ctx, 2, 1)),
  ]);
  expect(seen).toEqual([1, 1]);
  expect(runs).toBe(3);
  expect(await notes('crossed')).toBe(0);
});

it('does not undo the work of others', async () => {
  await inTransaction(ctx, async (ctx) => {
    await expect(inRolledBackTransaction(ctx, async () => 1)).rejects.toThrow('cannot be rolled back');
  });
});
