import { createHash } from 'node:crypto';
import {
  assertArtifact,
  attestDecision,
  attestOverride,
  attestPullRequest,
  createControl,
  listAttestations,
  mapScimGroup,
  type Role,
  scimCreateGroup,
  scimCreateUser,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { givenArtifact, givenFlow } from '../../../test/given/evidence.ts';
import { givenPerson, type Person } from '../../../test/given/people.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { entraUser, givenScim, groupOf } from '../../../test/given/scim.ts';
import { startApi } from '../../../test/harness.ts';
import { replayDecisions } from './replay.reads.ts';

const api = await startApi();
const scim = await givenScim(api, api.org);
await api.call(createControl, { body: { identifier: 'C-1', name: 'Release' } });

let flow = '';
let digest = '';
let count = 0;
const AUTHOR = { sha1: 'c'.repeat(40), author: 'Ada <ada@example.test>', committer: 'Eve <eve@example.test>' };

beforeEach(async () => {
  flow = `decided-${++count}`;
  digest = createHash('sha256').update(flow).digest('hex');
  await givenFlow(api, flow, 'version: 1\n');
  await givenReported(AUTHOR);
});

const givenReported = (git_commit_info?: object) =>
  givenArtifact(api, flow, 'a', { trail_name: 't', fingerprint: digest, ...(git_commit_info && { git_commit_info }) });

const givenMember = (name: string, role: Role = 'member') =>
  givenPerson(api, { org: api.org, role, login: `${name}-${count}`, email: `${name}-${count}@example.test` });

const decide = (key: string, name = 'release', more: object = {}) =>
  api.call(attestDecision, {
    params: { flow_name: flow, trail_name: 't' },
    key,
    body: {
      ...{ attestation_name: name, type_name: 'decision', control: 'C-1', artifact_fingerprint: digest },
      ...{ attestation_data: { is_compliant: true, recorded_by: { name: 'bob' } }, ...more },
    },
  });

async function verdictBy(rule: string) {
  const environment = `env-${flow}`;
  await givenEnvironment(api, environment, 'server', {});
  await givenPolicy(api, environment, attestationPolicy(rule));
  await givenAttached(api, environment, [environment]);
  await givenRunning(api, environment, { web: digest });
  const { body } = await api.call(assertArtifact, {
    params: { fingerprint: digest },
    query: { environment_name: environment },
  });
  return body as unknown as { compliant: boolean };
}

const isCompliant = async (rule: string) => (await verdictBy(rule)).compliant;

const shown = async (name = 'release') => {
  const { body } = await api.call(listAttestations, { query: { flow, name } });
  return (body as unknown as { data: Record<string, unknown>[] }).data[0] ?? {};
};

describe('the identity that recorded an attestation', () => {
  it('is that of the credential, whatever the request says, and is shown, recorded, and covered by the entry', async () => {
    const ada = await givenMember('ada', 'admin');
    expect((await decide(ada.key)).status).toBe(201);
    const recorded = {
      ...{ kind: 'user', id: ada.id, name: ada.login, role: 'admin' },
      aliases: [`ada-${count}@example.test`],
    };
    expect((await shown())['recorded_by']).toEqual(recorded);
    const [entry] = (await api.journal()).filter(({ type }) => type === 'attestation.recorded').slice(-1);
    expect(entry).toMatchObject({ payload: { recorded_by: recorded } });
  });

  it('of a service account has its role', async () => {
    await decide(api.org.keys.member);
    expect((await shown())['recorded_by']).toMatchObject({ kind: 'service_account', role: 'member' });
    expect((await shown())['recorded_by']).not.toHaveProperty('groups');
  });

  it('stays as it was when the person loses the role', async () => {
    const bob = await givenMember('bob', 'admin');
    await decide(bob.key);
    await sql`update membership set role = 'reader' where org_id = ${api.org.id} and user_id = ${bob.id}`.execute(
      api.db,
    );
    expect(await isCompliant('{ type: decision, decided_by: { role: admin } }')).toBe(true);
  });

  it('has the groups of the identity provider', async () => {
    const bob = await givenPerson(api, { email: `bob-${count}@example.test`, login: `bob-${count}` });
    const user = await scim.send(scimCreateUser, { body: entraUser(bob.email, { displayName: 'Bob' }) });
    const group = await scim.send(scimCreateGroup, { body: groupOf(`Releases ${count}`, user.body.id) });
    await api.call(mapScimGroup, { params: { id: group.body.id }, body: { role: 'member' } });
    expect((await decide(bob.key)).status).toBe(201);
    expect((await shown())['recorded_by']).toMatchObject({ groups: [`Releases ${count}`] });
    expect(await isCompliant(`{ type: decision, decided_by: { group: Releases ${count} } }`)).toBe(true);
    await givenPolicy(api, `env-${flow}`, attestationPolicy('{ type: decision, decided_by: { group: Others } }'));
    expect(await isCompliant('{ type: decision, decided_by: { group: Others } }')).toBe(false);
  });
});

describe('a rule on who decided', () => {
  it('tells the role at that time, and how to meet it', async () => {
    await decide((await givenMember('bob')).key);
    const verdict = JSON.stringify(await verdictBy('{ type: decision, decided_by: { role: admin } }'));
    expect(verdict).toContain(`'release' was recorded by 'bob-${count}', who was not an admin then.`);
  });

  it('does not count the author and the committer of the commit', async () => {
    const rule = '{ type: decision, not_by: [author, committer] }';
    const deciders: [string, boolean][] = [];
    for (const name of ['ada', 'eve', 'bob']) {
      const email = `${name}@example.test`;
      const known = deciders.length < 2 ? email : `${name}-${count}@example.test`;
      const person: Person = await givenPerson(api, { org: api.org, email: known, login: `${name}x-${count}` });
      await decide(person.key);
      deciders.push([name, await isCompliant(rule)]);
    }
    expect(deciders).toEqual([
      ['ada', false],
      ['eve', false],
      ['bob', true],
    ]);
  });

  it('counts different identities over all names', async () => {
    const [bob, tom] = [await givenMember('bob'), await givenMember('tom')];
    const rule = '{ type: decision, for_control: C-1, min_deciders: 2 }';
    await decide(bob.key, 'qa');
    await decide(bob.key, 'ops');
    expect(await isCompliant(rule)).toBe(false);
    await decide(tom.key, 'ops');
    expect(await isCompliant(rule)).toBe(true);
  });

  it('judges an override by the person who overrode', async () => {
    const [bob, root] = [await givenMember('bob'), await givenMember('root', 'admin')];
    await decide(bob.key, 'release', { attestation_data: { is_compliant: false } });
    const body = {
      ...{ attestation_name: 'release', original_attestation_type: 'decision', artifact_fingerprint: digest },
      ...{ new_compliance_status: true, reason: 'It is fine.' },
    };
    const override = (key: string) =>
      api.call(attestOverride, { params: { flow_name: flow, trail_name: 't' }, key, body });
    const rule = '{ type: decision, decided_by: { role: admin } }';
    expect((await override(bob.key)).status).toBe(201);
    expect(await isCompliant(rule)).toBe(false);
    expect((await override(root.key)).status).toBe(201);
    expect(await isCompliant(rule)).toBe(true);
  });

  it('does not count an approval by the committer of what was built', async () => {
    const approvedBy = (username: string) =>
      api.call(attestPullRequest, {
        params: { flow_name: flow, trail_name: 't' },
        body: {
          ...{ attestation_name: 'review', artifact_fingerprint: digest, git_provider: 'github' },
          pull_requests: [
            {
              ...{ url: 'https://code.example.com/pull/7', state: 'MERGED', author: 'ada' },
              approvers: [{ username, state: 'APPROVED', timestamp: 1 }],
              commits: [{ sha1: 'd'.repeat(40), author: 'ada', committer: { name: 'Carl', email: 'c@x.test' } }],
            },
          ],
        },
      });
    const rule = '{ type: pull_request, min_approvals: 1, not_by: [author, committer] }';
    for (const [name, expected] of [
      ['eve', false],
      ['Carl', false],
      ['bob', true],
    ] as const) {
      expect((await approvedBy(name)).status).toBe(201);
      expect([name, await isCompliant(rule)]).toEqual([name, expected]);
    }
  });

  it('is not met by evidence from before identities were recorded, which stays as it was', async () => {
    await decide((await givenMember('bob', 'admin')).key);
    await sql`update attestation set recorder = null where org_id = ${api.org.id} and name = 'release'`.execute(api.db);
    expect(await isCompliant('{ type: decision, decided_by: { role: member } }')).toBe(false);
    const { rows } = await sql<{ content: string }>`
      select content from evidence_state where org_id = ${api.org.id} and content like ${`%${digest}%`}`.execute(
      api.db,
    );
    expect(rows).not.toEqual([]);
    expect(rows.some(({ content }) => /recordedBy|changedBy/.test(content))).toBe(false);
  });
});

it('replays all of it without a difference', async () => {
  expect(await replayDecisions(api.db)).toMatchObject({ differences: 0, otherEngines: 0 });
});
