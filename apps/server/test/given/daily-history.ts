import { hash } from 'node:crypto';
import { beginTrail } from '@waymark/contract';
import { sql } from 'kysely';
import { readProvenance } from '../../src/features/provenance/provenance.reads.ts';
import { readEvidence } from '../../src/features/runtime-verdicts/evidence.reads.ts';
import { known } from '../../src/features/runtime-verdicts/judge.service.ts';
import { storeDecisions } from '../../src/features/runtime-verdicts/store-decisions.service.ts';
import { systemCtx } from '../../src/platform/ctx.ts';
import { noLog, type TestApi } from '../harness.ts';
import { givenFlow } from './evidence.ts';

export interface Days {
  readonly days: number;
  /** All of them are replaced each day, by artifacts that never ran before. */
  readonly artifacts: number;
}

const BATCH_SIZE = 1_000;

/** One artifact in ten was not tested. */
export const isTested = (artifact: number) => artifact % 10 !== 0;

/**
 * Two environments in which the same artifacts ran, with a snapshot a day up to today: in `judged` the evidence was
 * recorded, and everything was compliant; `unjudged` had no policy.
 */
export async function givenDailyHistory(api: TestApi, { days, artifacts }: Days): Promise<void> {
  await givenReported(api, days * artifacts, artifacts);
  await givenStates(api, days * artifacts);
  for (const name of ['judged', 'unjudged']) await givenDays(api, name, { days, artifacts });
  await sql`vacuum analyze`.execute(api.owner);
}

const FINGERPRINT = sql`encode(sha256(('artifact ' || i)::bytea), 'hex')`;

/** Into a trail per day, each a copy of one that was begun through the API. */
async function givenReported(api: TestApi, count: number, perTrail: number): Promise<void> {
  await givenFlow(api, 'daily', 'version: 1\n');
  const { status } = await api.call(beginTrail, { params: { flow_name: 'daily' }, body: { name: 'first' } });
  if (status !== 201) throw new Error('the trail was not begun');
  const first = sql`(select trail from trail where org_id = ${api.org.id} and name = 'first')`;
  await sql`
    insert into trail select (jsonb_populate_record(${first}, jsonb_build_object('id', md5('trail ' || i)::uuid,
      'name', 'trail-' || i, 'receipt', nextval('receipt')))).*
    from generate_series(0, ${Math.ceil(count / perTrail) - 1}::integer) as i`.execute(api.db);
  const place = sql`${api.org.id}::uuid, md5('artifact ' || i)::uuid, (${first}).flow_id,
    md5('trail ' || i / ${perTrail}::integer)::uuid, ${FINGERPRINT}`;
  await sql`
    insert into artifact (org_id, id, flow_id, trail_id, fingerprint, filename, build_url, commit_url, repo_url, content,
      created_at, created_by)
    select ${place}, 'service', '', '', '', '{}', now(), 'x' from generate_series(0, ${count - 1}::integer) as i`.execute(
    api.db,
  );
  await sql`
    insert into attestation (org_id, id, flow_id, trail_id, fingerprint, name, type, counts_as, is_compliant, trust,
      content, verdict, created_at, created_by)
    select ${place}, 'tests', 'generic', 'generic', true, 'api_key', '{}', '{}', now(), 'x'
    from generate_series(0, ${count - 1}::integer) as i where i % 10 <> 0`.execute(api.db);
}

async function givenStates(api: TestApi, count: number): Promise<void> {
  const ctx = systemCtx(api.db, api.org.id, 'tests', noLog);
  await sql`create table made_state (fingerprint text primary key, id uuid)`.execute(api.owner);
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const length = Math.min(BATCH_SIZE, count - from);
    const fingerprints = Array.from({ length }, (_, i) => hash('sha256', `artifact ${from + i}`));
    const evidence = await readEvidence(ctx, await readProvenance(api.db, api.org.id, fingerprints));
    const states = [...evidence.values()].map(known);
    await storeDecisions(ctx, { sets: [], states, decisions: [] });
    await sql`
      insert into made_state select * from unnest(${[...evidence.keys()]}::text[], ${states.map(({ id }) => id)}::uuid[])
    `.execute(api.db);
  }
}

async function givenDays(api: TestApi, name: string, { days, artifacts }: Days): Promise<void> {
  const org = sql`${api.org.id}::uuid`;
  const id = sql`md5(${name})::uuid`;
  const made = sql`${api.clock.now}::timestamptz - (${days}::integer - day) * interval '1 day'`;
  const runs = sql`(
    select i, i / ${artifacts}::integer + 1 as day, i % ${artifacts}::integer as slot
    from generate_series(0, ${days * artifacts - 1}::integer) as i) as run`;
  const until = sql`nullif(day + 1, ${days + 1}::integer)`;
  await sql`
    insert into environment (org_id, id, name, type, description, include_scaling, require_provenance, revision,
      created_at, created_by, last_modified_at, snapshot_count, last_changed_at, run_count)
    values (${org}, ${id}, ${name}, 'server', '', true, false, 1, now(), 'x', now(), ${days}, ${api.clock.now},
      ${days * artifacts})`.execute(api.db);
  await sql`
    insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance, artifact_count,
      compliant_count, non_compliant_count, started_count, event_total)
    select ${org}, ${id}, day, ${made}, 'x', 'report', 'unknown', ${artifacts}, 0, 0, ${artifacts}, day
    from generate_series(1, ${days}::integer) as day`.execute(api.db);
  await sql`
    insert into running (org_id, environment_id, no, fingerprint, name, from_index, until_index, lineage, deployments,
      started_with)
    select ${org}, ${id}, i + 1, ${FINGERPRINT}, 'service-' || slot, day, ${until}, '', array[day], 1
    from ${runs}`.execute(api.db);
  await sql`
    insert into running_verdict (org_id, environment_id, no, from_index, until_index, cause, compliance, artifact_ids,
      evidence_id)
    select ${org}, ${id}, i + 1, day, ${until}, 'started', ${name === 'judged' ? 'compliant' : 'unknown'},
      array[md5('artifact ' || i)::uuid], ${name === 'judged' ? sql`made_state.id` : sql`null::uuid`}
    from ${runs} join made_state on made_state.fingerprint = ${FINGERPRINT}`.execute(api.db);
}
