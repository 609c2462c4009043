import {
  type Attestation,
  type Contract,
  listActivity,
  listAttestations,
  listAttestationsForCriteria,
  listFlowAttestations,
  listFlows,
  listTrailAttestations,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { attest, commit, givenFlow, givenTrail } from '../../../test/given/evidence.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const MIB = 1024 * 1024;
const COUNT = 40;

/** Forty attestations of nearly a megabyte each, of which one came through the API. */
beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1');
  await givenTrail(api, 'web', 't');
  const answer = await attest(api, 'web', 't', {
    attestation_name: 'scan',
    is_compliant: true,
    git_commit_info: { sha1: commit('a') },
    user_data: { text: 'x'.repeat(900_000) },
  });
  expect(answer.status).toBe(201);
  await sql`
    insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, commit_sha, trust,
      content, verdict, created_at, created_by)
    select org_id, gen_random_uuid(), flow_id, trail_id, name, type, counts_as, is_compliant, commit_sha, trust,
      content, verdict, created_at + number * interval '1 second', created_by
    from attestation cross join generate_series(1, ${COUNT - 1}) as number
    where org_id = ${api.org.id}`.execute(api.db);
});

interface Listed {
  readonly ids: readonly string[];
  readonly bytes: number;
  readonly next: string | undefined;
}

function sizeOf(body: unknown): number {
  return Buffer.byteLength(JSON.stringify(body));
}

async function array(
  contract: Contract,
  params: Record<string, string>,
  query: Record<string, string>,
): Promise<Listed> {
  const { status, body, headers } = (await api.call(contract, { params, query })) as Answer<Attestation[]>;
  expect(status).toBe(200);
  const next = /after=([^&>]+)/.exec(String(headers['link'] ?? ''))?.[1];
  return { ids: body.map(({ attestation_id: id }) => id), bytes: sizeOf(body), next };
}

async function page(query: Record<string, string>): Promise<Listed> {
  const { status, body } = await api.call(listAttestations, { query: { per_page: '100', ...query } });
  expect(status).toBe(200);
  const { data, pagination } = body as { data: Attestation[]; pagination: { next: string | null } };
  return { ids: data.map(({ attestation_id: id }) => id), bytes: sizeOf(body), next: pagination.next ?? undefined };
}

const lists: [string, (query: Record<string, string>) => Promise<Listed>][] = [
  ['of the org', page],
  [
    'of a trail',
    (query) => array(listTrailAttestations, { flow_name: 'web', trail_name: 't', attestation_name: 'scan' }, query),
  ],
  ['of commits', (query) => array(listAttestationsForCriteria, {}, { commit_list: commit('a'), ...query })],
];

it.each(lists)('a list %s ends where it gets too large, and goes on after its cursor', async (_, list) => {
  const ids: string[] = [];
  const answers: Listed[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const answer: Listed = await list(next === '' ? {} : { after: decodeURIComponent(next) });
    answers.push(answer);
    ids.push(...answer.ids);
    next = answer.next;
  }
  expect(new Set(ids).size).toBe(COUNT);
  expect(ids).toHaveLength(COUNT);
  for (const { bytes } of answers) expect(bytes).toBeLessThan(9 * MIB);
  expect(answers.length).toBeLessThan(10);
});

it('a numbered page that is too large is refused, and says how many fit', async () => {
  const call = (query: Record<string, string>) =>
    api.call(listFlowAttestations, { params: { flow_name: 'web' }, query }) as Promise<Answer<unknown>>;
  const refused = await call({ per_page: '40' });
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: { 'query.per_page': expect.stringMatching(/has more than 8 MiB. Request \d or fewer/) } },
  });
  const [, fits = ''] = /Request (\d+)/.exec(JSON.stringify(refused.body)) ?? [];
  const answered = await call({ per_page: fits });
  expect(answered.status).toBe(200);
  expect(answered.body).toHaveLength(Number(fits));
});

it('flows with large templates are listed in parts', async () => {
  const template = `version: 1\n# ${'x'.repeat(60_000)}\n`;
  await sql`
    insert into flow (org_id, id, name, description, visibility, template, auto_created, repo_url, revision,
      created_at, created_by, last_modified_at, latest_activity_at)
    select org_id, gen_random_uuid(), 'flow-' || number, '', visibility, ${template}, false, '', 1,
      created_at, created_by, last_modified_at, latest_activity_at
    from flow cross join generate_series(1, 299) as number where org_id = ${api.org.id}`.execute(api.db);
  const names: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { body, headers } = (await api.call(listFlows, { query: after === '' ? {} : { after } })) as Answer<
      { name: string }[]
    >;
    expect(sizeOf(body)).toBeLessThan(9 * MIB);
    names.push(...body.map(({ name }) => name));
    after = /after=([^&>]+)/.exec(String(headers['link'] ?? ''))?.[1];
  }
  expect(names).toHaveLength(300);
  expect(new Set(names).size).toBe(300);
});

it('activity with large entries is listed in parts', async () => {
  await sql`update journal set payload = jsonb_set(payload::jsonb, '{user_data}', to_jsonb(repeat('x', 250000)))::text
    where org_id = ${api.org.id}`.execute(api.db);
  await sql`
    insert into journal (org_id, recorded_at, actor_kind, actor_id, actor_name, id, type, version, subject_kind,
      subject_id, subject_seq, payload, nonce, payload_digest)
    select org_id, recorded_at, actor_kind, actor_id, actor_name, gen_random_uuid(), type, version, subject_kind,
      gen_random_uuid(), subject_seq, payload, nonce, payload_digest
    from journal cross join generate_series(1, 60) where org_id = ${api.org.id} and type = 'attestation.recorded'`.execute(
    api.db,
  );
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from journal where org_id = ${api.org.id}`.execute(api.db);
  const ids: string[] = [];
  let answers = 0;
  for (let after: string | null = ''; after !== null; answers++) {
    const query: Record<string, string> = { per_page: '100', ...(after !== '' && { after }) };
    const { body } = (await api.call(listActivity, { query })) as Answer<{
      data: { id: string }[];
      pagination: { next: string | null };
    }>;
    ids.push(...body.data.map(({ id }) => id));
    after = body.pagination.next;
  }
  expect(answers).toBeGreaterThan(1);
  expect(ids).toHaveLength(rows[0]?.total ?? -1);
  expect(new Set(ids).size).toBe(ids.length);
});
