import { createHash, createHmac, createPublicKey, randomUUID } from 'node:crypto';
import {
  addTrustedKey,
  addWorkloadIdentity,
  beginTrail,
  changeMember,
  createServiceAccountKey,
  exchangeToken,
  listFlows,
  listMembers,
  listWorkloadIdentities,
  putFlow,
  putSso,
  type Reply,
  removeWorkloadIdentity,
  turnOnScim,
  updateServiceAccount,
} from '@waymark/contract';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { givenPerson } from '../../../../test/given/people.ts';
import { type Answer, startApi, type TestOrg } from '../../../../test/harness.ts';
import { startCiIssuer } from '../../../../test/oidc/ci-issuer.ts';
import { newSigningKey, type Wanted } from '../../../../test/oidc/ci-token.ts';
import { pruneJobCredentials } from './workload-identity.tasks.ts';

const api = await startApi();
const now = () => api.clock.now;
const issuer = await startCiIssuer({ now, audience: 'replaced' });
const attacker = await startCiIssuer({ now, audience: 'replaced' });
afterAll(async () => {
  await issuer.close();
  await attacker.close();
});

let org: TestOrg;
let count = 0;
beforeEach(async () => {
  api.clock.now = new Date();
  org = await api.givenOrg(`exchanging-${++count}`);
});

const audience = () => `http://waymark.test/${org.name}`;
const mint = ({ claims, ...more }: Wanted = {}) => issuer.mint({ ...more, claims: { aud: audience(), ...claims } });
const exchange = (token: string, more: { org?: string; service_account?: string } = {}) => {
  const { org: name = org.name, ...body } = more;
  return api.call(exchangeToken, { params: { org: name }, key: '', body: { token, ...body } });
};
async function trust(more: object = {}) {
  const body = {
    name: 'release',
    service_account: 'member',
    issuer: issuer.url,
    claims: { repository_id: '1296269', ref: 'refs/heads/main' },
    ...more,
  };
  const answer = await api.call(addWorkloadIdentity, { params: { org: org.name }, key: org.keys.admin, body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}
const refusedFor = (reason: string) => ({ status: 403, body: { message: `The token was rejected: ${reason}` } });
const notAccepted = (name = org.name) =>
  refusedFor(
    'its issuer and ids must match a workload identity of the org, its signature must be the issuer’s, and its ' +
      `audience must be http://waymark.test/${name}`,
  );
const exchanges = async () => (await api.journal(org)).filter(({ type }) => type === 'workload_identity.exchanged');
const seconds = () => Math.floor(now().getTime() / 1000);
const pass = (s: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + s * 1000);
};
const asJob = async (key: string) => (await api.call(listFlows, { params: { org: org.name }, key })).status;
const keyOf = (answer: Answer<unknown>) => (answer.body as Reply<typeof exchangeToken>).key;

describe('exchanging the token of a job', () => {
  it('gives a key with the scope of the workload identity', async () => {
    const scope = { kind: 'evidence', flows: ['shop'] };
    await trust({ scope });
    const answer = await exchange(await mint());
    expect(answer).toMatchObject({ status: 201, body: { scope } });
    const begin = (flow_name: string) =>
      api.call(beginTrail, { params: { org: org.name, flow_name }, key: keyOf(answer), body: { name: 't' } });
    await api.call(putFlow, { params: { org: org.name }, key: org.keys.admin, body: { name: 'shop' } });
    expect((await begin('shop')).status).toBe(201);
    expect((await begin('other')).status).toBe(403);
    expect(await asJob(keyOf(answer))).toBe(403);
    expect(await exchanges()).toMatchObject([{ payload: { scope: { kind: 'evidence', names: ['shop'] } } }]);
  });

  it('gives a key of the service account, and records what was verified without token and key', async () => {
    const identity = await trust();
    const jti = randomUUID();
    const token = await mint({ claims: { jti } });
    const answer = await exchange(token);
    expect(answer).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
    const { key } = answer.body;
    const expires_at = now().getTime() / 1000 + 900;
    expect(answer.body).toEqual({
      key: expect.stringMatching(/^wmk_e[0-9A-Za-z]{36}$/),
      expires_at,
      service_account: 'member',
      workload_identity: { id: identity.id, name: 'release' },
      scope: null,
    });
    expect((await api.call(putFlow, { params: { org: org.name }, key, body: { name: 'by-job' } })).status).toBe(201);
    expect((await api.journal(org)).at(-1)).toMatchObject({ type: 'flow.created', actor: 'member' });
    const claims = {
      repository: 'acme/web',
      repository_id: '1296269',
      repository_owner: 'acme',
      repository_owner_id: '77',
      ref: 'refs/heads/main',
      ref_type: 'branch',
      sha: 'c'.repeat(40),
      event_name: 'push',
      run_id: '42',
      workflow_ref: 'acme/web/.github/workflows/ci.yml@refs/heads/main',
      actor: 'octo',
      actor_id: '583231',
    };
    const verified = { issuer: issuer.url, subject: 'repo:acme/web:ref:refs/heads/main', jti, claims };
    expect(await exchanges()).toEqual([
      {
        type: 'workload_identity.exchanged',
        subject_seq: 1,
        actor: 'member',
        payload: {
          ...verified,
          workload_identity: { id: identity.id, name: 'release' },
          service_account: 'member',
          expires_at,
          scope: null,
        },
      },
    ]);
    const row = await api.db
      .selectFrom('api_key')
      .selectAll()
      .where('workload_identity_id', '=', identity.id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(row.workload ?? '')).toEqual({ ...verified, identity: identity.id });
    const stored = JSON.stringify([row, await api.journal(org)]);
    expect(stored).not.toContain(key);
    expect(stored).not.toContain(token.split('.')[2]);
  });

  it('ends after 15 minutes', async () => {
    await trust();
    const key = keyOf(await exchange(await mint()));
    pass(899);
    expect(await asJob(key)).toBe(200);
    pass(1);
    expect(await asJob(key)).toBe(401);
  });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('takes what is signed with %s', async (alg) => {
    const other = await startCiIssuer({ now, audience: audience(), alg });
    await trust({ issuer: other.url });
    expect((await exchange(await other.mint())).status).toBe(201);
    await other.close();
  });

  it('takes the new key of an issuer after a rollover', async () => {
    await trust();
    expect((await exchange(await mint())).status).toBe(201);
    await issuer.rollOver();
    pass(31);
    expect((await exchange(await mint())).status).toBe(201);
  });

  it('takes a list of the one audience, and ids as numbers', async () => {
    await trust();
    expect((await exchange(await mint({ claims: { aud: [audience()], repository_id: 1296269 } }))).status).toBe(201);
  });

  it('does not depend on other credentials that come with it', async () => {
    await trust();
    const call = { params: { org: org.name }, key: 'nonsense', body: { token: await mint() } };
    expect((await api.call(exchangeToken, call)).status).toBe(201);
  });
});

describe('a token is refused', () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = (token: string, header: object) => `${part(header)}.${token.split('.')[1]}.`;

  it('with alg none, and nothing is asked of anybody', async () => {
    await trust();
    const asked = await issuer.asked();
    for (const alg of ['none', 'None', 'NONE', '']) {
      const token = unsigned(await mint(), { alg, typ: 'JWT', kid: issuer.key().kid });
      expect(await exchange(token)).toMatchObject(notAccepted());
    }
    expect(await issuer.asked()).toBe(asked);
  });

  it('with HS256 and the public key as the secret', async () => {
    await trust();
    const { kid, publicJwk } = issuer.key();
    const pem = createPublicKey({ key: publicJwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const signed = `${part({ alg: 'HS256', typ: 'JWT', kid })}.${(await mint()).split('.')[1]}`;
    for (const secret of [pem, JSON.stringify(publicJwk)]) {
      const signature = createHmac('sha256', secret).update(signed).digest('base64url');
      expect(await exchange(`${signed}.${signature}`)).toMatchObject(notAccepted());
    }
  });

  it('with another key under a kid of the issuer, and with the key of the attacker', async () => {
    await trust();
    const key = { ...(await newSigningKey()), kid: issuer.key().kid };
    expect(await exchange(await mint({ key }))).toMatchObject(notAccepted());
    expect(await exchange(await mint({ key: attacker.key() }))).toMatchObject(notAccepted());
  });

  it('with its key or the place of it in its header', async () => {
    await trust();
    const key = await newSigningKey();
    for (const header of [{ jwk: key.publicJwk }, { jku: `${attacker.url}/keys` }, { x5u: attacker.url }]) {
      expect(await exchange(await mint({ key: { ...key, kid: issuer.key().kid }, header }))).toMatchObject(
        notAccepted(),
      );
    }
    expect(await attacker.asked()).toBe(0);
  });

  it('with a kid that is not known, or none', async () => {
    await trust();
    expect(await exchange(await mint({ header: { kid: randomUUID() } }))).toMatchObject(notAccepted());
    expect(await exchange(await mint({ header: { kid: undefined } }))).toMatchObject(notAccepted());
  });

  it('with a header that says what must be understood', async () => {
    await trust();
    const { privateKey, kid } = issuer.key();
    const token = await new SignJWT({ iss: issuer.url, aud: audience() })
      .setProtectedHeader({ alg: 'RS256', kid, crit: ['b64'], b64: true })
      .sign(privateKey);
    expect(await exchange(token)).toMatchObject(notAccepted());
  });

  it('with a payload that was changed', async () => {
    await trust();
    const [header, payload = '', signature] = (await mint({ claims: { ref: 'refs/heads/other' } })).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const changed = `${header}.${part({ ...claims, ref: 'refs/heads/main' })}.${signature}`;
    expect(await exchange(changed)).toMatchObject(notAccepted());
  });

  it('from an issuer that the org does not trust, which is not even called', async () => {
    await trust();
    const asked = await attacker.asked();
    expect(await exchange(await attacker.mint({ claims: { aud: audience() } }))).toMatchObject(notAccepted());
    expect(await exchange(await attacker.mint({ claims: { aud: audience(), iss: issuer.url } }))).toMatchObject(
      notAccepted(),
    );
    expect(await exchange(await mint({ claims: { iss: attacker.url } }))).toMatchObject(notAccepted());
    expect(await attacker.asked()).toBe(asked);
  });

  it.each([['http://waymark.test/another'], [['http://waymark.test/another']], [[]], [undefined], [{}], ['both']])(
    'for the audience %j',
    async (aud) => {
      await trust();
      const token = await mint({ claims: { aud: aud === 'both' ? [audience(), 'https://other.example.org'] : aud } });
      expect(await exchange(token)).toMatchObject(refusedFor(`its only audience must be ${audience()}`));
    },
  );

  it.each([
    ['expired', () => ({ iat: seconds() - 400, exp: seconds() - 31 }), 'it has expired'],
    ['from the future', () => ({ iat: seconds() + 40, exp: seconds() + 100 }), 'it is not valid yet'],
    ['not valid yet', () => ({ nbf: seconds() + 40 }), 'it is not valid yet'],
    ['too old', () => ({ iat: seconds() - 640 }), 'it is older than 10 minutes: request a new one'],
    ['good for too long', () => ({ exp: seconds() + 24 * 3600 + 1 }), 'it is valid for more than 24 hours'],
    [
      'old, however long it is good for',
      () => ({ iat: seconds() - 631, exp: seconds() + 7200 }),
      'it is older than 10 minutes: request a new one',
    ],
    [
      'without an end',
      () => ({ exp: undefined }),
      'its claims iat and exp must say when it was issued and when it expires',
    ],
    [
      'without a beginning',
      () => ({ iat: undefined }),
      'its claims iat and exp must say when it was issued and when it expires',
    ],
    [
      'with a time as text',
      () => ({ exp: '9999999999' }),
      'its claims iat and exp must say when it was issued and when it expires',
    ],
    ['with a wrong nbf', () => ({ nbf: 'x' }), 'its claim nbf must be a time'],
    ['with an empty id', () => ({ jti: '' }), 'its claim jti is not a valid id'],
    ['with an id that is null', () => ({ jti: null }), 'its claim jti is not a valid id'],
    ['with a number as its id', () => ({ jti: 7 }), 'its claim jti is not a valid id'],
    ['with a long id', () => ({ jti: 'x'.repeat(257) }), 'its claim jti is not a valid id'],
    ['with an id that cannot be stored', () => ({ jti: 'a\u0000' }), 'its claim jti is not a valid id'],
    ['without a subject', () => ({ sub: undefined }), 'it requires a subject in the claim sub'],
  ])('when it is %s', async (_, claims, reason) => {
    await trust();
    // SignJWT refuses to sign some of these.
    const { kid, privateKey } = issuer.key();
    const good = JSON.parse(Buffer.from((await mint()).split('.')[1] ?? '', 'base64url').toString()) as object;
    const signed = `${part({ alg: 'RS256', kid })}.${part({ ...good, ...claims() })}`;
    const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, Buffer.from(signed));
    const token = `${signed}.${Buffer.from(signature).toString('base64url')}`;
    expect(await exchange(token)).toMatchObject(refusedFor(reason));
    expect(await exchanges()).toEqual([]);
  });

  it.each([
    ['good for as long as a job of a day may run', () => ({ exp: seconds() + 24 * 3600 })],
    ['expired by less than the clocks may differ', () => ({ iat: seconds() - 300, exp: seconds() - 29 })],
    ['from a clock that is a little fast', () => ({ iat: seconds() + 29, nbf: seconds() + 29 })],
    ['nearly too old', () => ({ iat: seconds() - 600 })],
  ])('but not when it is %s', async (_, claims) => {
    await trust();
    expect((await exchange(await mint({ claims: claims() }))).status).toBe(201);
  });

  it('the second time', async () => {
    await trust();
    const token = await mint();
    expect((await exchange(token)).status).toBe(201);
    const used = refusedFor('it was already used: request a new one');
    expect(await exchange(token)).toMatchObject(used);
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
    expect(await exchange(await mint({ claims: { jti } }))).toMatchObject(used);
    expect(await exchanges()).toHaveLength(1);
  });

  it('all times but one when the same is sent at once', async () => {
    await trust();
    const token = await mint();
    const answers = await Promise.all(Array.from({ length: 16 }, () => exchange(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 15 }, () => 403)]);
    expect(await exchanges()).toHaveLength(1);
  });

  it('when it is of another repository, as a stranger is refused', async () => {
    await trust();
    const renamed = { repository: 'acme/web', repository_id: '666' };
    expect(await exchange(await mint({ claims: renamed }))).toMatchObject(notAccepted());
    expect(await exchange(await mint({ claims: { ...renamed, aud: 'x', exp: 1 } }))).toMatchObject(notAccepted());
  });

  it('with the claims that differ, but not what they should be', async () => {
    await trust({ claims: { repository_id: '1296269', ref: 'refs/heads/main', environment: 'production' } });
    await trust({ name: 'tags', claims: { repository_id: '1296269', ref: 'refs/tags/v*' } });
    expect(await exchange(await mint({ claims: { ref: 'refs/heads/try' } }))).toMatchObject(
      refusedFor(
        "it matches no workload identity: 'release' requires another ref, environment; 'tags' requires another ref",
      ),
    );
    expect((await exchange(await mint({ claims: { ref: 'refs/tags/v1.2.3' } }))).status).toBe(201);
  });

  it('when a stranger proposed what runs', async () => {
    await trust();
    expect(await exchange(await mint({ claims: { event_name: 'pull_request_target' } }))).toMatchObject(
      refusedFor("it matches no workload identity: 'release' requires another event_name"),
    );
  });

  it.each(['', 'x', 'a.b.c', '..', 'e30.e30.e30', '.', `${'a'.repeat(16_000)}`])(
    'when it is no token: %j',
    async (token) => {
      await trust();
      expect(await exchange(token)).toMatchObject(notAccepted());
    },
  );

  it('when its issuer cannot be searched for', async () => {
    for (const iss of ['https://a\u0000b', '\ud800', 7, ['https://x'], 'https://x y', `https://${'x'.repeat(600)}`]) {
      const token = `${part({ alg: 'RS256', kid: 'x' })}.${part({ iss })}.AAAA`;
      expect(await exchange(token)).toMatchObject(notAccepted());
    }
  });

  it('when it is huge', async () => {
    expect(await exchange('x'.repeat(16 * 1024 + 1))).toMatchObject({
      status: 400,
      body: { errors: { token: 'must be at most 16384 characters long' } },
    });
    expect(await exchange('x'.repeat(40_000))).toMatchObject({ status: 413 });
  });

  it.each([
    [{}, { token: 'is required' }],
    [{ token: 7 }, { token: 'must be text' }],
    [{ token: 'x', role: 'admin' }, { role: 'is unknown' }],
    [{ token: 'x', service_account: '' }, { service_account: 'must be at least 1 character long' }],
  ])('when the request is %j', async (body, errors) => {
    expect(await api.call(exchangeToken, { params: { org: org.name }, body: body as never })).toMatchObject({
      status: 400,
      body: { errors },
    });
  });

  it('alike by an org that does not exist, one that trusts nobody, and one that trusts others', async () => {
    await trust();
    const elsewhere = await api.givenOrg(`${org.name}-b`);
    for (const name of ['never-was', elsewhere.name]) {
      const token = await mint({ claims: { aud: `http://waymark.test/${name}` } });
      const answer = await exchange(token, { org: name });
      expect(answer).toMatchObject(notAccepted(name));
      expect(Object.keys(answer.body)).toEqual(['message', 'request_id']);
    }
    expect(await exchange(await mint({ claims: { repository_id: '5' } }))).toMatchObject(notAccepted());
  });

  it('with 503 while the issuer does not give its keys', async () => {
    const away = await startCiIssuer({ now, audience: audience() });
    await trust({ issuer: away.url });
    const token = await away.mint();
    await away.answerWith({ status: 302, headers: { location: `${issuer.url}/keys` } });
    expect(await exchange(token)).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    await away.answerWith(undefined);
    pass(31);
    expect((await exchange(token)).status).toBe(201);
    await away.close();
  });
});

describe('a token without an id', () => {
  const used = refusedFor('it was already used: request a new one');
  const mintWithoutId = () => mint({ claims: { jti: undefined } });

  it('is identified by the digest of what was signed, and accepted once', async () => {
    await trust();
    const token = await mintWithoutId();
    expect((await exchange(token)).status).toBe(201);
    expect(await exchange(token)).toMatchObject(used);
    const digest = createHash('sha256').update(token.split('.').slice(0, 2).join('.')).digest('hex');
    expect(await exchanges()).toMatchObject([{ payload: { jti: `sha256:${digest}` } }]);
    const later = await mint({ claims: { jti: undefined, iat: seconds() + 1 } });
    expect((await exchange(later)).status).toBe(201);
  });

  it('is accepted once when it is sent at the same time', async () => {
    await trust();
    const token = await mintWithoutId();
    const answers = await Promise.all(Array.from({ length: 16 }, () => exchange(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 15 }, () => 403)]);
    expect(await exchanges()).toHaveLength(1);
  });

  it('is accepted once although its signature can be rewritten without the key', async () => {
    const other = await startCiIssuer({ now, audience: audience(), alg: 'ES256' });
    await trust({ issuer: other.url });
    const first = await other.mint({ claims: { jti: undefined } });
    expect((await exchange(first)).status).toBe(201);
    expect(await exchange(rewritten(first))).toMatchObject(used);
    const second = await other.mint({ claims: { jti: undefined, iat: seconds() + 1 } });
    // Shows that the rewritten signature is valid.
    expect((await exchange(rewritten(second))).status).toBe(201);
    expect(await exchange(second)).toMatchObject(used);
    expect(await exchanges()).toHaveLength(2);
    await other.close();
  });

  it.each(['=', '==', 'A', '.', '.AAAA'])('is not accepted again with %j after its signature', async (end) => {
    await trust();
    const token = await mintWithoutId();
    expect((await exchange(token)).status).toBe(201);
    expect((await exchange(`${token}${end}`)).status).toBe(403);
    expect(await exchanges()).toHaveLength(1);
  });

  /** Order of the group of P-256. */
  const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

  function rewritten(token: string): string {
    const [header, payload, signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const s = ORDER - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
    const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
    return `${header}.${payload}.${other.toString('base64url')}`;
  }
});

describe('a token in the form of another CI system', () => {
  const [repository, workspace, other] = [randomUUID(), randomUUID(), randomUUID()];
  const notOfGithub = {
    ...{ repository: undefined, repository_id: undefined, repository_owner: undefined, repository_owner_id: undefined },
    ...{ ref: undefined, ref_type: undefined, sha: undefined, event_name: undefined, run_id: undefined },
    ...{ workflow_ref: undefined, actor: undefined, actor_id: undefined, nbf: undefined },
  };
  const bitbucket = (more: object = {}) => {
    const stepUuid = `{${randomUUID()}}`;
    const sub = `{${repository}}:${stepUuid}`;
    const ids = {
      repositoryUuid: `{${repository}}`,
      workspaceUuid: `{${workspace}}`,
      pipelineUuid: `{${randomUUID()}}`,
    };
    return mint({ claims: { ...notOfGithub, ...ids, stepUuid, sub, branchName: 'main', ...more } });
  };
  const circleci = (more: object = {}) => {
    const sub = `org/${workspace}/project/${repository}/user/${randomUUID()}`;
    const claims = {
      ...{ 'oidc.circleci.com/project-id': repository, 'oidc.circleci.com/org-id': workspace },
      'oidc.circleci.com/vcs-origin': 'github.com/acme/web',
      'oidc.circleci.com/vcs-ref': 'refs/heads/main',
      'oidc.circleci.com/context-ids': [randomUUID()],
      'oidc.circleci.com/ssh-rerun': false,
    };
    return mint({ claims: { ...notOfGithub, ...claims, sub, jti: undefined, exp: seconds() + 3600, ...more } });
  };

  it('of Bitbucket is accepted by the UUID of the repository, step after step', async () => {
    await trust({ claims: { repositoryUuid: `{${repository}}`, branchName: 'main' } });
    for (const token of [await bitbucket(), await bitbucket({ jti: undefined })]) {
      expect((await exchange(token)).status).toBe(201);
      expect((await exchange(token)).status).toBe(403);
    }
    const stored = {
      ...{ repositoryUuid: `{${repository}}`, workspaceUuid: `{${workspace}}`, branchName: 'main' },
      ...{ pipelineUuid: expect.any(String), stepUuid: expect.any(String) },
    };
    expect((await exchanges()).map(({ payload }) => payload)).toMatchObject([{ claims: stored }, { claims: stored }]);
  });

  it('of Bitbucket is rejected for another repository, branch, or deployment environment', async () => {
    const environment = `{${randomUUID()}}`;
    const claims = { repositoryUuid: repository, branchName: 'main', deploymentEnvironmentUuid: environment };
    await trust({ claims });
    expect(await exchange(await bitbucket({ repositoryUuid: `{${other}}` }))).toMatchObject(notAccepted());
    expect(await exchange(await bitbucket({ repositoryUuid: undefined }))).toMatchObject(notAccepted());
    expect(await exchange(await bitbucket({ branchName: 'feature' }))).toMatchObject(
      refusedFor("it matches no workload identity: 'release' requires another branchName, deploymentEnvironmentUuid"),
    );
    expect((await exchange(await bitbucket({ deploymentEnvironmentUuid: environment }))).status).toBe(201);
  });

  it('of CircleCI is accepted by the id of the project, whoever started the job', async () => {
    await trust({ claims: { 'oidc.circleci.com/project-id': repository, 'oidc.circleci.com/ssh-rerun': 'false' } });
    for (const token of [await circleci(), await circleci()]) {
      expect((await exchange(token)).status).toBe(201);
      expect((await exchange(token)).status).toBe(403);
    }
    const stored = (await exchanges()).map(({ payload }) => (payload as { claims: object }).claims);
    expect(stored[0]).toEqual({
      'oidc.circleci.com/project-id': repository,
      'oidc.circleci.com/org-id': workspace,
      'oidc.circleci.com/vcs-origin': 'github.com/acme/web',
      'oidc.circleci.com/vcs-ref': 'refs/heads/main',
      'oidc.circleci.com/ssh-rerun': 'false',
    });
  });

  it('of CircleCI is rejected for another project, another organization, and a fork', async () => {
    const vcsOrigin = { 'oidc.circleci.com/vcs-origin': 'github.com/acme/web' };
    await trust({ claims: { 'oidc.circleci.com/project-id': repository, ...vcsOrigin } });
    const ofOrg = { 'oidc.circleci.com/org-id': workspace, 'oidc.circleci.com/project-id': repository };
    await trust({ name: 'both', service_account: 'reader', claims: ofOrg });
    const elsewhere = { 'oidc.circleci.com/project-id': other };
    expect(await exchange(await circleci(elsewhere))).toMatchObject(notAccepted());
    const otherOrg = { 'oidc.circleci.com/org-id': other };
    expect(await exchange(await circleci(otherOrg), { service_account: 'reader' })).toMatchObject(
      refusedFor("no workload identity allows it to act as service account 'reader'"),
    );
    const fork = { 'oidc.circleci.com/vcs-origin': 'github.com/mallory/web' };
    expect(await exchange(await circleci(fork), { service_account: 'member' })).toMatchObject(
      refusedFor("it matches no workload identity: 'release' requires another oidc.circleci.com/vcs-origin"),
    );
    expect((await exchange(await circleci(), { service_account: 'reader' })).status).toBe(201);
  });

  it('is not accepted by another org that trusts another repository', async () => {
    await trust({ claims: { repositoryUuid: repository } });
    const elsewhere = await api.givenOrg(`${org.name}-b`);
    const claims = { repositoryUuid: other };
    const body = { name: 'theirs', service_account: 'member', issuer: issuer.url, claims };
    const params = { org: elsewhere.name };
    expect((await api.call(addWorkloadIdentity, { params, key: elsewhere.keys.admin, body })).status).toBe(201);
    const token = await bitbucket({ aud: `http://waymark.test/${elsewhere.name}` });
    expect(await exchange(token, { org: elsewhere.name })).toMatchObject(notAccepted(elsewhere.name));
  });

  it('of Buildkite is accepted by the id of the pipeline, if that is its subject', async () => {
    const pipeline = randomUUID();
    await trust({ claims: { sub: pipeline, step_key: 'build' } });
    const claims = { ...notOfGithub, sub: pipeline, step_key: 'build', pipeline_id: pipeline, build_branch: 'main' };
    expect((await exchange(await mint({ claims }))).status).toBe(201);
    const usual = { ...claims, sub: 'organization:acme:pipeline:web:ref:refs/heads/main:commit:1:step:build' };
    expect(await exchange(await mint({ claims: usual }))).toMatchObject(notAccepted());
  });
});

describe('when a token is good for several service accounts', () => {
  it('the job says which, and learns of those alone that it may be', async () => {
    await trust();
    await trust({ name: 'reports', service_account: 'snapshotter', claims: { repository_owner_id: '77' } });
    await trust({ name: 'others', service_account: 'admin-bot-none', claims: { repository_owner_id: '78' } }).catch(
      () => undefined,
    );
    expect(await exchange(await mint())).toMatchObject({
      status: 400,
      body: { errors: { service_account: 'is required: the token is valid for member, snapshotter' } },
    });
    expect(await exchange(await mint(), { service_account: 'snapshotter' })).toMatchObject({
      status: 201,
      body: { service_account: 'snapshotter', workload_identity: { name: 'reports' } },
    });
    expect(await exchange(await mint(), { service_account: 'reader' })).toMatchObject(
      refusedFor("no workload identity allows it to act as service account 'reader'"),
    );
    expect(
      await exchange(await mint({ claims: { ref: 'refs/heads/x' } }), { service_account: 'member' }),
    ).toMatchObject(refusedFor("it matches no workload identity: 'release' requires another ref"));
  });

  it('of several identities for one account the one that asks for most counts', async () => {
    await trust({ name: 'any', claims: { repository_id: '1296269' } });
    await trust();
    expect((await exchange(await mint())).body.workload_identity.name).toBe('release');
  });
});

describe('afterwards', () => {
  it('removing the identity ends the keys that it made, and no others', async () => {
    const identity = await trust();
    const other = await trust({ name: 'other', service_account: 'reader' });
    const key = keyOf(await exchange(await mint(), { service_account: 'member' }));
    const otherKey = keyOf(await exchange(await mint(), { service_account: 'reader' }));
    const params = { org: org.name, identity_id: identity.id };
    expect((await api.call(removeWorkloadIdentity, { params, key: org.keys.admin })).status).toBe(200);
    expect(await asJob(key)).toBe(401);
    expect(await asJob(otherKey)).toBe(200);
    expect(await asJob(org.keys.member)).toBe(200);
    expect((await api.journal(org)).at(-1)?.payload).toMatchObject({ name: 'release', keys_revoked: 1 });
    expect(await exchange(await mint(), { service_account: 'member' })).toMatchObject({ status: 403 });
    expect(other.active).toBe(true);
  });

  it('no key outlives the removal that it raced with', async () => {
    for (let round = 0; round < 5; round++) {
      const identity = await trust({ name: `race-${round}` });
      const tokens = await Promise.all(Array.from({ length: 8 }, () => mint()));
      const params = { org: org.name, identity_id: identity.id };
      const [, ...answers] = await Promise.all([
        api.call(removeWorkloadIdentity, { params, key: org.keys.admin }),
        ...tokens.map((token) => exchange(token)),
      ]);
      const made = answers.filter(({ status }) => status === 201).map(keyOf);
      expect(await Promise.all(made.map(asJob))).toEqual(made.map(() => 401));
    }
  });

  it('nothing is accepted for a service account that was deleted', async () => {
    await trust();
    const key = keyOf(await exchange(await mint()));
    await sql`update service_account set archived_at = now() where org_id = ${org.id} and name = 'member'`.execute(
      api.db,
    );
    expect(await asJob(key)).toBe(401);
    expect(await exchange(await mint())).toMatchObject(notAccepted());
    const { body } = await api.call(listWorkloadIdentities, { params: { org: org.name }, key: org.keys.admin });
    expect(body).toMatchObject([{ name: 'release', service_account: 'member', active: false }]);
  });

  it('a job leaves nothing that outlives it, whatever the role of its account', async () => {
    await sql`update service_account set privilege = 'admin' where org_id = ${org.id} and name = 'member'`.execute(
      api.db,
    );
    const identity = await trust();
    const person = await givenPerson(api, { org, role: 'reader' });
    const key = keyOf(await exchange(await mint()));
    const params = { org: org.name };
    const claims = { repository_id: '2' };
    const before = await api.journal(org);
    const answers = [
      await api.call(putSso, { params, key, body: { issuer: attacker.url, client_id: 'waymark' } }),
      await api.call(addWorkloadIdentity, {
        params,
        key,
        body: { name: 'x', service_account: 'member', issuer: issuer.url, claims },
      }),
      await api.call(removeWorkloadIdentity, { params: { ...params, identity_id: identity.id }, key }),
      await api.call(updateServiceAccount, {
        params: { ...params, name: 'reader' },
        key,
        body: { privilege: 'admin' },
      }),
      await api.call(changeMember, { params: { ...params, login: person.login }, key, body: { role: 'admin' } }),
      await api.call(addTrustedKey, { params, key, body: { name: 'k', public_key: 'x' } }),
      await api.call(turnOnScim, { params, key }),
      await api.call(createServiceAccountKey, {
        params: { ...params, name: 'reader' },
        key,
        body: { description: 'x' },
      }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 403,
        body: { message: 'A credential of a CI job cannot change this, because the change would outlive the job' },
      });
    }
    expect(await api.journal(org)).toEqual(before);
    expect((await api.call(listMembers, { params, key })).status).toBe(200);
  });

  it('what is left of tokens and keys is removed when they are long over', async () => {
    await trust();
    const identityId = (await trust({ name: 'b', service_account: 'reader' })).id;
    await exchange(await mint(), { service_account: 'reader' });
    const left = async () => ({
      tokens: (await api.db.selectFrom('used_token').select('jti').where('issuer', '=', issuer.url).execute()).length,
      keys: (await api.db.selectFrom('api_key').select('id').where('workload_identity_id', '=', identityId).execute())
        .length,
    });
    const before = await left();
    await pruneJobCredentials.run(api.db);
    expect(await left()).toEqual(before);
    await sql`update used_token set expires_at = expires_at - interval '1 day'`.execute(api.db);
    await sql`update api_key set expires_at = expires_at - interval '2 days' where workload_identity_id = ${identityId}`.execute(
      api.db,
    );
    await pruneJobCredentials.run(api.db);
    expect(await left()).toEqual({ tokens: 0, keys: 0 });
  });
});

it('the number of tokens checked per address is limited', async () => {
  const limited = await startApi({ rateLimit: { perSecond: 1, burst: 3 } });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => limited.call(exchangeToken, { key: '', body: { token: 'x' } })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([403, 403, 403, 429, 429]);
});
