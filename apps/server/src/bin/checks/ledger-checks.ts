import { sql } from 'kysely';
import type { Config } from '../../config/env.ts';
import type { Db } from '../../platform/db/db.ts';
import { type Check, Fault } from './check.ts';

/** Two intervals: one stamp may fail, and be late. */
const STAMP_LATE_SECONDS = 2 * 3600;
/** A witness that has not cosigned for so long has missed far more than one checkpoint. */
const WITNESS_LATE_SECONDS = 300;

const WITHOUT_WITNESSES = 'not set: nobody else confirms the checkpoints of the ledger';
const WITHOUT_STAMPS = 'not set: no authority confirms when checkpoints existed';

/** What the settings of the ledger say about others, without asking them. */
export function ledgerSettingsChecks({ ledger: { witnesses, timeStamps } }: Config): Check[] {
  return [
    {
      name: 'witnesses',
      without: witnesses ? undefined : WITHOUT_WITNESSES,
      run: async () => {
        const names = (witnesses?.witnesses ?? []).map(({ name }) => name).join(', ');
        return `${names || 'none'}; quorum ${witnesses?.quorum}`;
      },
    },
    {
      name: 'time stamps',
      without: timeStamps ? undefined : WITHOUT_STAMPS,
      run: async () => {
        const { url = '', roots = [] } = timeStamps ?? {};
        return `${url}, ${roots.length === 1 ? 'one root certificate' : `${roots.length} root certificates`}`;
      },
    },
  ];
}

/** Whether witnesses and the authority did what they are configured for. */
export function ledgerRunningChecks(db: Db, { ledger: { witnesses, timeStamps } }: Config): Check[] {
  const needs = ['migrations'];
  return [
    {
      name: 'cosignatures',
      needs,
      without: witnesses ? undefined : WITHOUT_WITNESSES,
      run: () => checkCosignatures(db),
    },
    { name: 'stamps', needs, without: timeStamps ? undefined : WITHOUT_STAMPS, run: () => checkStamps(db) },
  ];
}

async function checkCosignatures(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string; error: string | null; contradicts: boolean; late: number }>`
    select name, error, contradicts, coalesce((
      select extract(epoch from now() - signed_at) from region_checkpoint as later
      where (later.epoch, later.size) > (witness.epoch, witness.size) order by later.epoch, later.size limit 1
    ), 0)::float8 as late
    from witness order by name`.execute(db);
  const contradicting = rows.find(({ contradicts }) => contradicts);
  if (contradicting)
    throw new Fault('A witness contradicts the ledger: there may be two histories', {
      found: `${contradicting.name}: ${contradicting.error}`,
      fix: 'follow "A witness contradicts" in docs/witnesses.md',
    });
  const late = rows.find((row) => row.late > WITNESS_LATE_SECONDS);
  if (late)
    throw new Fault('A witness does not cosign', {
      found: `${late.name}: ${late.error ?? `no cosignature for ${Math.round(late.late)} s`}`,
      fix: 'check that the witness runs, knows the log, and can be reached from the worker',
    });
  return rows.length === 0 ? 'no worker has asked a witness yet' : `${rows.length} witnesses are up to date`;
}

async function checkStamps(db: Db): Promise<string> {
  const { rows } = await sql<{ error: string | null; age: number | null; waiting: number | null }>`
    select error, (
      select extract(epoch from now() - stamped_at)::float8 from time_stamp order by epoch desc, number desc limit 1
    ) as age, (
      select extract(epoch from now() - signed_at)::float8 from region_checkpoint as later
      where (later.epoch, later.number) > (
        select coalesce(max(epoch), 0), coalesce(max(number), 0) from (
          select epoch, number from time_stamp order by epoch desc, number desc limit 1
        ) as newest
      ) order by later.epoch, later.number limit 1
    ) as waiting
    from time_stamping`.execute(db);
  const [{ error, age, waiting } = { error: null, age: null, waiting: null }] = rows;
  if ((waiting ?? 0) > STAMP_LATE_SECONDS)
    throw new Fault('Checkpoints of the ledger get no time stamps', {
      found: error ?? `a checkpoint has waited for ${Math.round((waiting ?? 0) / 60)} minutes`,
      fix: 'check WAYMARK_LEDGER_TIME_STAMP_URL, the root certificates, and that the worker can reach the authority',
    });
  return age === null ? 'none yet' : `the newest is ${Math.round(age / 60)} minutes old`;
}
