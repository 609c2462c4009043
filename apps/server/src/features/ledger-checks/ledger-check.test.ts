import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { givenEverything } from '../../../test/given/everything.ts';
import { givenSealedLedger } from '../../../test/given/sealed.ts';
import { noLog, startApi } from '../../../test/harness.ts';
import { checkOrg, checkOrgSince } from './check-org.ts';
import { checkRegion } from './check-region.ts';
import { checkLedgers, checkRegionLog } from './ledger-check.tasks.ts';

const api = await startApi();
const ledger = await givenSealedLedger(api.db);
await givenEverything(api);
await ledger.seal();

const { blobs } = api.parts;

async function linesOf(org = api.org.id): Promise<string[]> {
  const lines: string[] = [];
  const onDifference = (_: unknown, line: string) => lines.push(line);
  await checkOrg({ db: api.owner, blobs, orgName: 'acme', onDifference }, org, { restart: true });
  return lines;
}

const storedCheck = () =>
  api.db.selectFrom('ledger_check').selectAll().where('org_id', '=', api.org.id).executeTakeFirstOrThrow();

describe('a check of the ledger', () => {
  it('finds nothing where every kind of record was made', async () => {
    expect(await linesOf()).toEqual([]);
    const { entries, problems, at } = await storedCheck();
    const { size } = await api.db
      .selectFrom('ledger_head')
      .select('size')
      .where('org_id', '=', api.org.id)
      .executeTakeFirstOrThrow();
    expect({ entries, problems, isDone: at !== null }).toEqual({ entries: size, problems: 0, isDone: true });
    expect(await checkRegion({ db: api.owner, objects: ledger.objects })).toMatchObject({ problems: 0 });
  });

  it('names the row, the column, the entry, and the checkpoint that proves it', async () => {
    const { rows } = await sql<{ id: string }>`
      update attestation set is_compliant = not is_compliant
      where org_id = ${api.org.id} and id = (select id from attestation where org_id = ${api.org.id} and type = 'generic' limit 1)
      returning id`.execute(api.owner);
    const [line] = await linesOf();
    expect(line).toMatch(
      new RegExp(
        `^org 'acme': attestation ${rows[0]?.id} is_compliant is (true|false), but entry \\d+ \\(attestation\\.recorded\\) ` +
          'records (true|false); entry \\d+ is in checkpoint 1 of epoch 1$',
      ),
    );
    expect(await storedCheck()).toMatchObject({ first_problem: line });
    await sql`update attestation set is_compliant = not is_compliant where org_id = ${api.org.id} and id = ${rows[0]?.id}`.execute(
      api.owner,
    );
    expect(await linesOf()).toEqual([]);
  });

  it('continues where it was interrupted, and counts what it found before', async () => {
    await sql`update flow set description = description || '!' where org_id = ${api.org.id}`.execute(api.owner);
    const all = await linesOf();
    const part = { db: api.owner, blobs };
    const first = await checkOrg(part, api.org.id, { maxEntries: 1, restart: true });
    expect(first.isFinished).toBe(false);
    const rest = await checkOrg(part, api.org.id);
    expect(rest).toMatchObject({ isFinished: true, problems: all.length });
    await sql`update flow set description = left(description, -1) where org_id = ${api.org.id}`.execute(api.owner);
    expect(await linesOf()).toEqual([]);
  });

  it('compares only what was recorded since a time', async () => {
    const parts = { db: api.owner, blobs };
    const all = await checkOrgSince(parts, api.org.id, new Date(0));
    expect(all.problems).toBe(0);
    expect(all.entries).toBeGreaterThan(100);
    const later = new Date(api.clock.now.getTime() + 60_000);
    expect(await checkOrgSince(parts, api.org.id, later)).toMatchObject({ entries: 0, problems: 0 });
  });

  it('leaves out what is recorded and not in the ledger yet', async () => {
    await givenEverything(api, 'more');
    expect(await linesOf()).toEqual([]);
    await ledger.seal();
    expect(await linesOf()).toEqual([]);
  });
});

describe('the scheduled checks', () => {
  const parts = { blobs, objects: ledger.objects, log: noLog };

  it('give each org its turn, the one that waited longest first', async () => {
    await api.givenOrg('other');
    await ledger.seal();
    await sql`update ledger_check set turn_at = now() where org_id = ${api.org.id}`.execute(api.owner);
    await checkLedgers(parts).run(api.db);
    const { rows } = await sql<{ org_id: string; problems: number; is_done: boolean }>`
      select org_id, problems, at is not null as is_done from ledger_check where org_id = org_id order by turn_at`.execute(
      api.owner,
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.at(-1)?.org_id).toBe(api.org.id);
    expect(rows.map(({ problems, is_done }) => ({ problems, is_done }))).toEqual(
      rows.map(() => ({ problems: 0, is_done: true })),
    );
  });

  it('store the result of the region log', async () => {
    await checkRegionLog(parts).run(api.db);
    const { rows } = await sql`select leaves > 0 as has_leaves, problems from region_check`.execute(api.db);
    expect(rows).toEqual([{ has_leaves: true, problems: 0 }]);
  });
});
