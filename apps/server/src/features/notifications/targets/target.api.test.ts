import { createPublicKey, sign, verify } from 'node:crypto';
import { getTargetSecret, listWebhookKeys, type Role, roles, rotateTargetSecret } from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { chat, email, givenNotification, webhook } from '../../../../test/given/notifications.ts';
import { startApi, type TestOrg } from '../../../../test/harness.ts';
import { buildApi } from '../../../app/api.ts';
import { newId } from '../../../platform/ids.ts';
import { openSecretBox, type SecretBox } from '../../../platform/secret-box.ts';
import { openTarget } from './target.service.ts';
import { sealPart } from './target-secret.ts';
import { signingKeyOf } from './webhook-key.service.ts';

const api = await startApi();
const strangers = await api.givenOrg('strangers');
const HOUR_MS = 3_600_000;
let count = 0;
let org: TestOrg = api.org;
let hook = '';

beforeEach(async () => {
  org = await api.givenOrg(`targets-${++count}`);
  await givenEnvironment(api, 'prod', 'server', {}, org);
  const { targets } = await givenNotification(api, 'alerts', ['prod'], {}, org);
  hook = targets[0]?.id ?? '';
});

function boxOf(): SecretBox {
  if (!api.parts.secretBox) throw new Error('there is no box');
  return api.parts.secretBox;
}

const asRole = (target_id: string, role: Role) => ({ params: { org: org.name, target_id }, key: org.keys[role] });
const secretOf = (id = hook, role: Role = 'member') => api.call(getTargetSecret, asRole(id, role));
const rotate = (body: object = {}, id = hook, role: Role = 'member', headers: Record<string, string> = {}) =>
  api.call(rotateTargetSecret, { ...asRole(id, role), body, headers });
const rotations = async () => (await api.journal(org)).filter(({ type }) => type === 'target.secret_rotated');
const seconds = (at = api.clock.now) => at.getTime() / 1000;

/** What a sender to the target knows. */
async function opened(box = boxOf(), id = hook) {
  const row = await api.db
    .selectFrom('notification_target')
    .selectAll()
    .where('org_id', '=', org.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { row, ...openTarget(box, row, api.clock.now) };
}

/** A webhook of a configuration of the org. */
async function givenConfigTarget(): Promise<string> {
  const id = newId();
  await api.db
    .insertInto('notification_target')
    .values({
      org_id: org.id,
      id,
      source_id: org.id,
      config_type: 'api_key_expiry',
      kind: 'WEBHOOK',
      position: 0,
      url_sealed: sealPart(boxOf(), 'url', id, 'https://hooks.example.org/'),
      url_sha256: Buffer.alloc(32),
      url_host: 'hooks.example.org',
      payload_version: '1.0',
      context: null,
      secret_sealed: sealPart(boxOf(), 'secret', id, 'whsec_x'),
      revision: 0,
      created_at: api.clock.now,
    })
    .execute();
  await api.db.insertInto('target_state').values({ org_id: org.id, target_id: id }).execute();
  return id;
}

describe('the secret of a webhook', () => {
  it('is 32 random bytes, unique, and shown to those who may change the target', async () => {
    const { status, body, headers } = await secretOf();
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({ secret: expect.stringMatching(/^whsec_/) as string, previous_secret_until: null });
    expect(Buffer.from(body.secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    const { targets } = await givenNotification(api, 'second', ['prod'], {}, org);
    expect((await secretOf(targets[0]?.id)).body.secret).not.toBe(body.secret);
    expect(await opened()).toMatchObject({ url: 'https://hooks.example.org/in/token', secrets: [body.secret] });
  });

  it('stays when the notification is put again', async () => {
    const { body } = await secretOf();
    const { targets } = await givenNotification(api, 'alerts', ['prod'], { targets: [email(), webhook()] }, org);
    expect(targets[1]?.id).toBe(hook);
    expect((await secretOf()).body).toEqual(body);
  });

  it('exists only for webhooks', async () => {
    const { targets } = await givenNotification(api, 'others', ['prod'], { targets: [chat(), email()] }, org);
    for (const { id, type } of targets) {
      const message = `Target '${id}' is of type ${type}: only a WEBHOOK has a secret`;
      expect(await secretOf(id)).toMatchObject({ status: 404, body: { message } });
      expect(await rotate({}, id)).toMatchObject({ status: 404, body: { message } });
    }
    expect((await rotations()).length).toBe(0);
  });

  it('is not found for a target that does not exist, was removed, or is of another org', async () => {
    const id = newId();
    const message = `Target '${id}' does not exist in this org`;
    expect(await secretOf(id)).toMatchObject({ status: 404, body: { message } });
    expect(await rotate({}, id)).toMatchObject({ status: 404, body: { message } });
    expect(await secretOf('x')).toMatchObject({
      status: 400,
      body: { errors: { target_id: 'must be the id of a target' } },
    });
    const own = { params: { org: strangers.name, target_id: hook }, key: strangers.keys.admin };
    expect((await api.call(getTargetSecret, own)).status).toBe(404);
    expect((await api.call(rotateTargetSecret, { ...own, body: {} })).status).toBe(404);
    const theirs = { params: { org: org.name, target_id: hook }, key: strangers.keys.admin };
    expect((await api.call(getTargetSecret, theirs)).status).toBe(403);
    expect((await api.call(rotateTargetSecret, { ...theirs, body: {} })).status).toBe(403);
    await givenNotification(api, 'alerts', ['prod'], { targets: [email()] }, org);
    expect((await secretOf()).status).toBe(404);
    expect((await rotate()).status).toBe(404);
  });

  it('is for members, and that of a configuration for admins', async () => {
    const config = await givenConfigTarget();
    for (const role of roles) {
      const mayNotify = role === 'member' || role === 'admin';
      expect((await secretOf(hook, role)).status, role).toBe(mayNotify ? 200 : 403);
      expect((await rotate({}, hook, role)).status, role).toBe(mayNotify ? 201 : 403);
      expect((await secretOf(config, role)).status, role).toBe(role === 'admin' ? 200 : 403);
      expect((await rotate({}, config, role)).status, role).toBe(role === 'admin' ? 201 : 403);
    }
    expect(await secretOf(config, 'member')).toMatchObject({
      body: { message: 'This requires the admin role; yours is member' },
    });
    expect(await rotations()).toHaveLength(3);
  });
});

describe('rotating the secret', () => {
  it('signs with both for a day, and with the new one alone after that', async () => {
    const { secret: before } = (await secretOf()).body;
    const { status, body, headers } = await rotate();
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    const until = seconds() + 24 * 3600;
    expect(body).toEqual({ secret: expect.stringMatching(/^whsec_/) as string, previous_secret_until: until });
    expect(body.secret).not.toBe(before);
    expect((await secretOf()).body).toEqual(body);
    expect((await opened()).secrets).toEqual([body.secret, before]);
    api.clock.now = new Date(api.clock.now.getTime() + 24 * HOUR_MS);
    expect((await opened()).secrets).toEqual([body.secret]);
    expect((await secretOf()).body).toEqual({ secret: body.secret, previous_secret_until: null });
    expect(await rotations()).toMatchObject([
      { subject_seq: 1, actor: 'member', payload: { host: 'hooks.example.org', previous_secret_until: until } },
    ]);
  });

  it('accepts another overlap, including none, and drops an older secret', async () => {
    const { secret: first } = (await secretOf()).body;
    const { body: second } = await rotate({ overlap_hours: 720 });
    expect(second.previous_secret_until).toBe(seconds() + 720 * 3600);
    const { body: third } = await rotate({ overlap_hours: 1 });
    expect(third.previous_secret_until).toBe(seconds() + 3600);
    expect((await opened()).secrets).toEqual([third.secret, second.secret]);
    const { body: fourth } = await rotate({ overlap_hours: 0 });
    expect(fourth.previous_secret_until).toBeNull();
    const { secrets, row } = await opened();
    expect(secrets).toEqual([fourth.secret]);
    expect(row).toMatchObject({ old_secret_sealed: null, old_secret_until: null });
    expect(first).not.toBe(second.secret);
    expect((await rotate({ overlap_hours: null })).body.previous_secret_until).toBe(seconds() + 24 * 3600);
    expect((await rotations()).map(({ subject_seq }) => subject_seq)).toEqual([1, 2, 3, 4]);
  });

  it('needs no body', async () => {
    const answer = await api.app.http.inject({
      method: 'POST',
      url: `/api/v2/organizations/${org.name}/targets/${hook}/secret/rotate`,
      headers: { authorization: `Bearer ${org.keys.member}` },
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({ previous_secret_until: seconds() + 24 * 3600 });
  });

  it.each([-1, 721, 1.5, '1'])('refuses an overlap of %j', async (overlap_hours) => {
    expect(await rotate({ overlap_hours })).toMatchObject({
      status: 400,
      body: { errors: { overlap_hours: expect.any(String) as string } },
    });
    expect(await rotations()).toEqual([]);
  });

  it('happens one after another when several race', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate()));
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    const secrets = answers.map(({ body }) => body.secret);
    expect(new Set(secrets).size).toBe(8);
    const current = (await opened()).secrets;
    expect(current).toHaveLength(2);
    for (const secret of current) expect(secrets).toContain(secret);
    expect((await rotations()).map(({ subject_seq }) => subject_seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('happens once for an Idempotency-Key, and its secret is stored nowhere in the clear', async () => {
    const key = { 'idempotency-key': `once-${count}` };
    const { body } = await rotate({}, hook, 'member', key);
    expect(await rotate({}, hook, 'member', key)).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': expect.stringContaining('was already used') as string } },
    });
    expect((await secretOf()).body.secret).toBe(body.secret);
    expect(await rotations()).toHaveLength(1);
    const replies = await api.db.selectFrom('idempotent_reply').selectAll().where('org_id', '=', org.id).execute();
    const readable = JSON.stringify([replies, (await opened()).row, await api.journal(org)]);
    expect(replies).toHaveLength(1);
    expect(readable).not.toContain(body.secret.slice('whsec_'.length));
    expect(readable).not.toContain('whsec_');
  });

  it('works without an old one that cannot be opened', async () => {
    const other = openSecretBox(Buffer.alloc(32, 9));
    const { body: before } = await secretOf();
    const server = buildApi({ ...api.parts, secretBox: other }, api.listeners);
    const send = (method: 'GET' | 'POST', path: string) =>
      server.http.inject({
        method,
        url: `/api/v2/organizations/${org.name}/targets/${hook}/${path}`,
        headers: { authorization: `Bearer ${org.keys.member}` },
        ...(method === 'POST' && { payload: {} }),
      });
    const unreadable = await send('GET', 'secret');
    expect(unreadable.statusCode).toBe(400);
    expect(unreadable.json()).toMatchObject({ message: expect.stringContaining('rotate it') as string });
    const rotated = await send('POST', 'secret/rotate');
    expect(rotated.statusCode).toBe(201);
    expect(rotated.json()).toMatchObject({ previous_secret_until: null });
    expect((await opened(other)).secrets).toEqual([(rotated.json() as { secret: string }).secret]);
    expect((await opened()).secrets).toEqual([]);
    expect(before.secret).toMatch(/^whsec_/);
  });

  it('explains what the operator has to do when secrets cannot be stored', async () => {
    const bare = buildApi({ ...api.parts, secretBox: undefined }, api.listeners);
    for (const [method, path] of [
      ['GET', 'secret'],
      ['POST', 'secret/rotate'],
    ] as const) {
      const answer = await bare.http.inject({
        method,
        url: `/api/v2/organizations/${org.name}/targets/${hook}/${path}`,
        headers: { authorization: `Bearer ${org.keys.member}` },
        ...(method === 'POST' && { payload: {} }),
      });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ message: expect.stringContaining('WAYMARK_SECRET_KEY') as string });
    }
    const keys = await bare.http.inject({
      url: `/api/v2/organizations/${org.name}/webhook-keys`,
      headers: { authorization: `Bearer ${org.keys.reader}` },
    });
    expect(keys.json()).toEqual({ keys: [] });
  });
});

describe('the key of an org', () => {
  const keysOf = (of = org, key = of.keys.reader) => api.call(listWebhookKeys, { params: { org: of.name }, key });

  it('is created on the first request, and verifies what the org signs', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, () => keysOf()),
      ...Array.from({ length: 8 }, () => signingKeyOf(api.db, boxOf(), org.id)),
    ]);
    expect(answers).toHaveLength(16);
    const { status, body } = await keysOf();
    expect(status).toBe(200);
    const [jwk, ...others] = body.keys;
    if (!jwk) throw new Error('there is no key');
    expect(others).toEqual([]);
    const signing = await signingKeyOf(api.db, boxOf(), org.id);
    if (!signing) throw new Error('there is no key to sign with');
    expect(signing.publicKey).toHaveLength(32);
    expect(jwk).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      use: 'sig',
      alg: 'EdDSA',
      kid: signing.id,
      x: signing.publicKey.toString('base64url'),
      waymark_key: `whpk_${signing.publicKey.toString('base64')}`,
    });
    const signature = sign(null, Buffer.from('text'), signing.privateKey);
    const publicKey = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: 'jwk' });
    expect(verify(null, Buffer.from('text'), publicKey, signature)).toBe(true);
    const rows = await api.db.selectFrom('webhook_key').selectAll().where('org_id', '=', org.id).execute();
    expect(rows).toHaveLength(1);
    const seed = signing.privateKey.export({ format: 'jwk' }).d ?? '';
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(seed, 'base64url').toString('base64').slice(0, 20));
  });

  it('is unique, and readable by everybody in the org', async () => {
    const [mine] = (await keysOf()).body.keys;
    const [theirs] = (await keysOf(strangers)).body.keys;
    expect(mine?.x).not.toBe(theirs?.x);
    for (const role of roles) expect((await keysOf(org, org.keys[role])).body.keys, role).toEqual([mine]);
    expect((await keysOf(org, strangers.keys.admin)).status).toBe(403);
  });

  it('signs nothing when it cannot be opened', async () => {
    await keysOf();
    expect(await signingKeyOf(api.db, openSecretBox(Buffer.alloc(32, 9)), org.id)).toBeUndefined();
    expect(await signingKeyOf(api.db, undefined, org.id)).toBeUndefined();
  });
});
