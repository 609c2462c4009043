import {
  archivePolicy,
  attachPolicies,
  detachPolicies,
  getPolicy,
  listPolicies,
  POLICY_MAX_BYTES,
  type Policy,
  putNamedPolicy,
  putPolicy,
  validatePolicy,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { sendForm } from '../../../test/given/evidence.ts';
import { attestationPolicy, givenPolicy, policyNamed, REQUIRES_PROVENANCE } from '../../../test/given/policies.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const foreign = await api.givenOrg('foreign');
let name = '';
let count = 0;
beforeEach(() => {
  name = `policy-${++count}`;
});

const JUNIT = attestationPolicy('{ name: unit-tests, type: junit }');

const put = (body: object, key = api.org.keys.member) =>
  api.call(putPolicy, { params: { name }, body: body as never, key }) as Promise<Answer<Policy>>;
const archive = () => api.call(archivePolicy, { params: { name } });
const attach = (env_name: string) => api.call(attachPolicies, { params: { env_name }, body: { policy_names: [name] } });
const detach = (env_name: string) => api.call(detachPolicies, { params: { env_name }, body: { policy_names: [name] } });
const list = async (query: Record<string, string> = {}) =>
  ((await api.call(listPolicies, { query, key: api.org.keys.reader })) as Answer<Policy[]>).body;
const missing = { status: 404, body: { message: `Policy 'no-name' does not exist in this org` } };

/** The journal entries about the policies of this name, with their counter, in the order of the journal. */
async function entries() {
  const { rows } = await sql<{ type: string; subject_seq: number; payload: string }>`
    select type, subject_seq, payload from journal
    where org_id = ${api.org.id} and subject_kind = 'policy' and payload::jsonb ->> 'name' = ${name}
    order by seq`.execute(api.db);
  return rows.map((row) => [row.type, row.subject_seq, JSON.parse(row.payload) as unknown]);
}
const types = async () => (await entries()).map(([type]) => type);
const history = async () => (await policyNamed(api, name)).events.map(({ type, data }) => [type, data]);

async function givenControl(identifier: string, archived_at: Date | null = null): Promise<void> {
  await api.db
    .insertInto('control')
    .values({
      org_id: api.org.id,
      id: crypto.randomUUID(),
      identifier,
      name: identifier,
      description: '',
      links: '{}',
      version: 1,
      revision: 1,
      created_at: api.clock.now,
      created_by: 'x',
      archived_at,
    })
    .execute();
}

describe('putting a policy', () => {
  it('creates it, adds a version for another text, and changes nothing for the same', async () => {
    api.clock.now = new Date('2026-11-02T10:00:00Z');
    const created = await put({ policy_yaml: REQUIRES_PROVENANCE, description: 'ours', comment: 'first' });
    expect(created).toMatchObject({ status: 201, body: { name, description: 'ours', archived: false } });
    api.clock.now = new Date('2026-11-02T11:00:00Z');
    expect(await put({ policy_yaml: JUNIT, comment: null, description: null })).toMatchObject({ status: 200 });
    const repeat = await put({ policy_yaml: JUNIT, comment: 'again', type: 'env', name });
    expect(repeat.status).toBe(200);

    expect(repeat.body).toEqual({
      name,
      description: 'ours',
      archived: false,
      consuming_envs: [],
      created_at: 1793613600,
      created_by: 'member',
      last_modified_at: 1793617200,
      report_only_envs: [],
      versions: [
        {
          version: 1,
          comment: 'first',
          created_by: 'member',
          timestamp: 1793613600,
          policy_yaml: REQUIRES_PROVENANCE,
        },
        { version: 2, comment: '', created_by: 'member', timestamp: 1793617200, policy_yaml: JUNIT },
      ],
      events: [
        { type: 'policy_created', timestamp: 1793613600, user: 'member', data: { version: 1 } },
        { type: 'policy_version_created', timestamp: 1793617200, user: 'member', data: { version: 2 } },
      ],
    });
    expect(await policyNamed(api, name)).toEqual(repeat.body);
    expect(await entries()).toEqual([
      ['policy.created', 1, { name, description: 'ours' }],
      [
        'policy.versioned',
        2,
        {
          name,
          version: 1,
          comment: 'first',
          policy_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          policy_yaml: REQUIRES_PROVENANCE,
        },
      ],
      ['policy.versioned', 3, expect.objectContaining({ version: 2, policy_yaml: JUNIT })],
    ]);
  });

  it('goes back to an earlier text as a new version', async () => {
    for (const policy_yaml of [REQUIRES_PROVENANCE, JUNIT, REQUIRES_PROVENANCE]) await put({ policy_yaml });
    expect((await policyNamed(api, name)).versions.map(({ policy_yaml }) => policy_yaml)).toEqual([
      REQUIRES_PROVENANCE,
      JUNIT,
      REQUIRES_PROVENANCE,
    ]);
  });

  it('changes the description without a new version, and clears it with an empty text', async () => {
    await put({ policy_yaml: JUNIT, description: 'old' });
    await put({ policy_yaml: JUNIT, description: 'new' });
    const cleared = await put({ policy_yaml: JUNIT, description: '' });
    expect(cleared.body).toMatchObject({ description: '', versions: [{ version: 1 }] });
    expect(await types()).toEqual(['policy.created', 'policy.versioned', 'policy.updated', 'policy.updated']);
    expect(await history()).toEqual([
      ['policy_created', { version: 1 }],
      ['policy_updated', { description: 'new' }],
      ['policy_updated', { description: '' }],
    ]);
  });

  it('keeps what a policy names and reads with each version', async () => {
    await givenControl('SDLC-7');
    const rules = [
      `{ type: decision, for_control: SDLC-7 }`,
      `{ type: junit, if: '\${{ flow.tags.risk == "high" and environment.name != "test" }}' }`,
      `{ type: snyk, if: '\${{ matches(artifact.name, "^web") or environment.tags.tier == 1 }}' }`,
    ];
    await givenPolicy(api, name, attestationPolicy(...rules));
    const stored = await api.db
      .selectFrom('policy_version')
      .innerJoin('policy', 'policy.id', 'policy_version.policy_id')
      .select(['controls', 'reads'])
      .where('policy.org_id', '=', api.org.id)
      .where('policy_version.org_id', '=', api.org.id)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    expect(stored).toEqual({
      controls: ['SDLC-7'],
      reads: ['artifact.name', 'environment.name', 'environment.tags.tier', 'flow.tags.risk'],
    });
  });

  it('creates once when 32 identical requests race', async () => {
    const answers = await Promise.all(Array.from({ length: 32 }, () => put({ policy_yaml: JUNIT, description: 'd' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(31).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.versions.length))).toEqual(new Set([1]));
    expect(await types()).toEqual(['policy.created', 'policy.versioned']);
    expect(await history()).toEqual([['policy_created', { version: 1 }]]);
  });

  it('numbers versions without gaps when different requests race, as the journal does', async () => {
    const texts = Array.from({ length: 16 }, (_, i) => attestationPolicy(`{ name: check-${i}, type: junit }`));
    const answers = await Promise.all(texts.map((policy_yaml) => put({ policy_yaml })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.every(({ status }) => status < 202)).toBe(true);
    const policy = await policyNamed(api, name);
    expect(policy.versions.map(({ version }) => version)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
    expect(new Set(policy.versions.map(({ policy_yaml }) => policy_yaml))).toEqual(new Set(texts));
    expect((await entries()).map(([, seq]) => seq)).toEqual(Array.from({ length: 17 }, (_, i) => i + 1));
  });

  it.each([
    [{}, { policy_yaml: 'is required, or policy_file in a form' }],
    [{ policy_yaml: 7 }, { policy_yaml: 'must be text' }],
    [{ policy_yaml: JUNIT, name: 'another' }, { name: expect.stringMatching(/^must be 'policy-\d+' as in the path/) }],
    [{ policy_yaml: JUNIT, type: 'flow' }, { type: 'must be env' }],
    [{ policy_yaml: JUNIT, colour: 'red' }, { colour: 'is unknown' }],
    [{ policy_yaml: JUNIT, comment: 'a\u0000' }, { comment: 'must not contain U+0000 or invalid Unicode characters' }],
    [{ policy_yaml: '' }, { policy_yaml: expect.stringMatching(/^line 1, column 1: The policy is empty/) }],
    [{ policy_yaml: '_schema: "a\u0000"' }, { policy_yaml: expect.stringMatching(/^line 1, column \d+: .*U\+0000/) }],
  ])('refuses %j and names the field', async (body, errors) => {
    expect(await put(body)).toMatchObject({ status: 400, body: { errors } });
    expect(await api.call(getPolicy, { params: { name } })).toMatchObject({ status: 404 });
  });

  it('reports every problem of a text with line and column, under the field that was sent', async () => {
    const policy_yaml =
      '_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - type: junitt\n      nam: x\n';
    const answer = await put({ policy_yaml });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        message: 'The policy is not valid',
        errors: { policy_yaml: expect.stringMatching(/^line 4, column 13: .*\nline 5, column 7: /) },
      },
    });
    expect(await types()).toEqual([]);
  });

  it('refuses controls that do not exist or are archived, and leaves a text alone that is there already', async () => {
    await givenControl('KEPT');
    await givenControl('GONE', api.clock.now);
    const rules = ['KEPT', 'GONE', 'NEVER'].map((control) => `{ type: decision, for_control: ${control} }`);
    expect(await put({ policy_yaml: attestationPolicy(...rules) })).toMatchObject({
      status: 400,
      body: {
        errors: {
          policy_yaml:
            "line 5, column 38: The control 'GONE' is archived.\n" +
            "line 6, column 38: There is no control 'NEVER' in this org.",
        },
      },
    });
    const policy_yaml = attestationPolicy('{ type: decision, for_control: KEPT }');
    expect((await put({ policy_yaml })).status).toBe(201);
    await api.db
      .updateTable('control')
      .set({ archived_at: api.clock.now })
      .where('org_id', '=', api.org.id)
      .where('identifier', '=', 'KEPT')
      .execute();
    expect((await put({ policy_yaml })).status).toBe(200);
    expect((await put({ policy_yaml: `${policy_yaml}# another\n` })).status).toBe(400);
    expect((await policyNamed(api, name)).versions).toHaveLength(1);
  });

  it('takes 64 KiB and no more', async () => {
    const sized = (bytes: number) => `${REQUIRES_PROVENANCE}# ${'é'.repeat(bytes)}`.slice(0, bytes);
    const fitting = `${REQUIRES_PROVENANCE}#${'x'.repeat(POLICY_MAX_BYTES - REQUIRES_PROVENANCE.length - 1)}`;
    expect((await put({ policy_yaml: fitting })).status).toBe(201);
    const tooLarge = { status: 413, body: { message: 'The policy is larger than 65536 bytes' } };
    expect(await put({ policy_yaml: `${fitting}x` })).toMatchObject(tooLarge);
    expect(await put({ policy_yaml: sized(POLICY_MAX_BYTES) })).toMatchObject(tooLarge);
    expect((await put({ policy_yaml: 'x'.repeat(1024 * 1024) })).status).toBe(413);
  });

  it('stops at 1,000 versions', async () => {
    await put({ policy_yaml: JUNIT });
    await sql`
      insert into policy_version (org_id, policy_id, version, policy_yaml, comment, controls, reads, created_at, created_by)
      select org_id, id, i, ${JUNIT}, '', '{}', '{}', now(), 'x' from policy, generate_series(2, 1000) as i
      where org_id = ${api.org.id} and name = ${name}`.execute(api.db);
    await sql`update policy set version = 1000 where org_id = ${api.org.id} and name = ${name}`.execute(api.db);
    expect((await put({ policy_yaml: JUNIT })).status).toBe(200);
    expect(await put({ policy_yaml: REQUIRES_PROVENANCE })).toMatchObject({
      status: 400,
      body: { errors: { name: 'already has 1000 versions, which is the maximum; use another policy name' } },
    });
  });

  it('is not for readers and snapshotters, and each org has its own', async () => {
    for (const role of ['reader', 'snapshotter'] as const) {
      expect((await put({ policy_yaml: JUNIT }, api.org.keys[role])).status).toBe(403);
    }
    expect((await put({ policy_yaml: JUNIT }, foreign.keys.admin)).status).toBe(403);
    await givenPolicy(api, name, JUNIT, foreign);
    expect(await api.call(getPolicy, { params: { name } })).toMatchObject({ status: 404 });
    expect((await put({ policy_yaml: REQUIRES_PROVENANCE })).status).toBe(201);
    expect((await policyNamed(api, name, foreign)).versions[0]?.policy_yaml).toBe(JUNIT);
  });
});

describe('putting a policy by a form', () => {
  const file = (content: string | Uint8Array) => ({ part: 'policy_file', name: 'policy.yml', content });
  const payload = () => ({ name, description: 'd', comment: 'c', type: 'env' });

  it('takes the form of clients on both paths', async () => {
    const created = await sendForm(api, 'PUT', '/policies/acme', { payload: payload() }, file(JUNIT));
    expect(created).toMatchObject({ status: 201, body: { name, description: 'd', versions: [{ comment: 'c' }] } });
    const repeat = await sendForm(api, 'PUT', `/policies/acme/${name}`, { payload: payload() }, file(JUNIT));
    expect(repeat).toMatchObject({ status: 200, body: created.body });
    const { status, body } = (await api.call(putNamedPolicy, {
      body: { ...payload(), policy_yaml: REQUIRES_PROVENANCE } as never,
    })) as Answer<Policy>;
    expect([status, body.versions.length]).toEqual([200, 2]);
  });

  it('takes the file and not the text of the payload', async () => {
    await sendForm(api, 'PUT', '/policies/acme', { payload: { ...payload(), policy_yaml: 'no: policy' } }, file(JUNIT));
    expect((await policyNamed(api, name)).versions).toMatchObject([{ policy_yaml: JUNIT }]);
  });

  it('keeps the description if a form does not have one', async () => {
    await put({ policy_yaml: JUNIT, description: 'ours' });
    const form = { payload: { name, description: '', comment: '', type: 'env' } };
    await sendForm(api, 'PUT', '/policies/acme', form, { part: 'policy_file', name: 'p.yml', content: JUNIT });
    expect(await policyNamed(api, name)).toMatchObject({ description: 'ours' });
    await put({ policy_yaml: JUNIT, description: '' });
    expect(await policyNamed(api, name)).toMatchObject({ description: '' });
  });

  it('refuses a form without a file, without a name, and with a file that is none', async () => {
    const path = '/policies/acme';
    expect(await sendForm(api, 'PUT', path, { payload: payload() })).toMatchObject({
      status: 400,
      body: { errors: { policy_yaml: 'is required, or policy_file in a form' } },
    });
    expect(await sendForm(api, 'PUT', path, { payload: { type: 'env' } }, file(JUNIT))).toMatchObject({
      status: 400,
      body: { errors: { name: 'is required' } },
    });
    expect(await sendForm(api, 'PUT', path, {}, file(JUNIT))).toMatchObject({
      status: 400,
      body: { errors: { payload: 'is required' } },
    });
    expect(await sendForm(api, 'PUT', path, { payload: payload() }, file(Uint8Array.of(0xff)))).toMatchObject({
      status: 400,
      body: { errors: { policy_file: 'is not valid UTF-8 text' } },
    });
    expect(await sendForm(api, 'PUT', path, { payload: payload() }, file('x'.repeat(70_000)))).toMatchObject({
      status: 413,
      body: { message: 'policy_file is larger than 65536 bytes' },
    });
  });
});

describe('reading policies', () => {
  it('refuses to find what is not there', async () => {
    expect(await api.call(getPolicy, {})).toMatchObject(missing);
  });

  it('lists by name, archived ones only when asked for', async () => {
    for (const suffix of ['c', 'a', 'b']) await givenPolicy(api, `${name}-${suffix}`);
    await api.call(archivePolicy, { params: { name: `${name}-b` } });
    const ours = (policies: Policy[]) =>
      policies.map((policy) => policy.name).filter((one) => one.startsWith(`${name}-`));
    expect(ours(await list())).toEqual([`${name}-a`, `${name}-c`]);
    expect(ours(await list({ archived: 'false' }))).toEqual([`${name}-a`, `${name}-c`]);
    expect(ours(await list({ archived: 'true' }))).toEqual([`${name}-a`, `${name}-b`, `${name}-c`]);
    const [first] = (await list()).filter((policy) => policy.name === `${name}-a`);
    expect(first).toEqual(await policyNamed(api, `${name}-a`));
  });

  it('ends a list that is too large, and links to the rest', async () => {
    const other = await api.givenOrg(`many-${count}`);
    await givenPolicy(api, 'large', REQUIRES_PROVENANCE, other);
    await sql`
      insert into policy_version (org_id, policy_id, version, policy_yaml, comment, controls, reads, created_at, created_by)
      select org_id, id, i, repeat('x', 60000), '', '{}', '{}', now(), 'x' from policy, generate_series(2, 300) as i
      where org_id = ${other.id}`.execute(api.db);
    for (const more of ['later', 'later-still']) await givenPolicy(api, more, JUNIT, other);
    const page = (query: Record<string, string>) =>
      api.call(listPolicies, { params: { org: other.name }, query, key: other.keys.reader }) as Promise<
        Answer<Policy[]>
      >;
    const first = await page({ archived: 'true' });
    expect(first.body.map((policy) => policy.name)).toEqual(['large']);
    const [, link = ''] = /^<(.*)>; rel="next"$/.exec(String(first.headers['link'])) ?? [];
    const query = Object.fromEntries(new URL(link).searchParams);
    expect(query).toMatchObject({ archived: 'true' });
    const rest = await page(query);
    expect(rest.body.map((policy) => policy.name)).toEqual(['later', 'later-still']);
    expect(rest.headers['link']).toBeUndefined();
  });

  it('refuses a cursor that is none of its own', async () => {
    const after = Buffer.from('["x","y"]').toString('base64url');
    for (const query of [{ after }, { after: 'x' }, { archived: 'yes' }]) {
      expect((await api.call(listPolicies, { query })).status).toBe(400);
    }
  });

  it('shows the latest 1,000 events', async () => {
    await givenPolicy(api, name);
    await sql`
      insert into policy_event (org_id, policy_id, no, type, data, created_at, created_by)
      select org_id, id, i, 'policy_updated', json_build_object('description', i), now(), 'x'
      from policy, generate_series(2, 1200) as i where org_id = ${api.org.id} and name = ${name}`.execute(api.db);
    const { events } = await policyNamed(api, name);
    expect([events.length, events[0]?.data, events.at(-1)?.data]).toEqual([
      1000,
      { description: 201 },
      { description: 1200 },
    ]);
  });
});

describe('archiving a policy', () => {
  it('hides it, frees its name, and can be repeated', async () => {
    await givenPolicy(api, name, JUNIT);
    expect(await archive()).toMatchObject({ status: 200, body: `Policy '${name}' archived` });
    expect((await archive()).status).toBe(200);
    expect(await policyNamed(api, name)).toMatchObject({ archived: true, versions: [{ policy_yaml: JUNIT }] });
    expect(await types()).toEqual(['policy.created', 'policy.versioned', 'policy.archived']);
    expect((await history()).at(-1)).toEqual(['policy_archived', { version: 1 }]);

    const again = await put({ policy_yaml: REQUIRES_PROVENANCE });
    expect(again).toMatchObject({ status: 201, body: { archived: false, versions: [{ version: 1 }] } });
    expect(again.body.events).toHaveLength(1);
    expect((await archive()).status).toBe(200);
    const both = (await list({ archived: 'true' })).filter((policy) => policy.name === name);
    expect(both.map(({ archived }) => archived)).toEqual([true, true]);
  });

  it('refuses while environments use it, and names ten of them', async () => {
    await givenPolicy(api, name);
    const environments = Array.from({ length: 12 }, (_, i) => `${name}-env-${String(i).padStart(2, '0')}`);
    for (const environment of environments) {
      await givenEnvironment(api, environment);
      expect(await attach(environment)).toMatchObject({ status: 200, body: 'OK' });
    }
    const named = environments.slice(0, 10).map((environment) => `'${environment}'`);
    const message = `Policy '${name}' is attached to ${named.join(', ')} and 2 more: detach it before you archive it`;
    expect(await archive()).toMatchObject({ status: 409, body: { message } });
    expect(await policyNamed(api, name)).toMatchObject({ archived: false, consuming_envs: environments });
    for (const environment of environments) expect((await detach(environment)).status).toBe(200);
    expect((await archive()).status).toBe(200);
  });

  it('archives once when 16 identical requests race', async () => {
    await givenPolicy(api, name);
    const answers = await Promise.all(Array.from({ length: 16 }, archive));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await types()).toEqual(['policy.created', 'policy.versioned', 'policy.archived']);
  });

  it('is attached or archived, never both, when the two race', async () => {
    for (let round = 0; round < 20; round++) {
      name = `policy-${++count}`;
      await givenPolicy(api, name);
      await givenEnvironment(api, `${name}-env`);
      const [attached, archived] = await Promise.all([attach(`${name}-env`), archive()]);
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([attached.status, archived.status]);
    }
  });

  it('refuses what is not there, and callers who may not', async () => {
    expect(await api.call(archivePolicy, {})).toMatchObject(missing);
    await givenPolicy(api, name);
    for (const key of [api.org.keys.reader, api.org.keys.snapshotter, foreign.keys.admin]) {
      expect((await api.call(archivePolicy, { params: { name }, key })).status).toBe(403);
    }
  });
});

describe('validating a policy', () => {
  const validate = (policy_yaml: unknown) =>
    api.call(validatePolicy, { body: { policy_yaml } as never, key: api.org.keys.reader });

  it('says that a text is valid, and stores nothing', async () => {
    const before = (await list()).length;
    expect(await validate(JUNIT)).toMatchObject({ status: 200, body: { valid: true, problems: [] } });
    expect(await list()).toHaveLength(before);
  });

  it('reports all problems with their positions', async () => {
    const { body } = await validate(
      '_schema: x\nartifacts:\n  attestations:\n    - name: "*"\n      if: "${{ flow.name }}"\n',
    );
    expect(body).toEqual({
      valid: false,
      problems: [
        { path: '_schema', line: 1, column: 10, message: expect.any(String) },
        {
          path: expect.stringMatching(/^artifacts\.attestations\[0\]/),
          line: 4,
          column: 7,
          message: expect.any(String),
        },
        { path: 'artifacts.attestations[0].if', line: 5, column: expect.any(Number), message: expect.any(String) },
      ],
    });
  });

  it('reports unknown controls', async () => {
    expect((await validate(attestationPolicy('{ type: decision, for_control: NOBODY }'))).body).toEqual({
      valid: false,
      problems: [
        {
          path: 'artifacts.attestations[0].for_control',
          line: 4,
          column: 38,
          message: "There is no control 'NOBODY' in this org.",
        },
      ],
    });
  });

  it('refuses what is no text, and what is too large', async () => {
    expect(await validate(undefined)).toMatchObject({ status: 400, body: { errors: { policy_yaml: 'is required' } } });
    expect((await validate('x'.repeat(POLICY_MAX_BYTES + 1))).status).toBe(413);
  });
});
