import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Action, Delivery, DeliveryDetail, listActions, NotificationConfig, putFlow } from '@waymark/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { givenDelivery, givenNotification, givenTarget } from '../../../../server/test/given/deliveries.ts';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
await givenEnvironment(api, 'prod', 'server', {});
await givenEnvironment(api, 'staging', 'server', {});
await api.call(putFlow, { body: { name: 'shop' } });

const CHAT = 'https://chat.example.org/hook/secret-part';
const create = (name: string, ...more: string[]) => cli.run(['notify', 'create', name, ...more]);
const named = async (name: string) => {
  const all = (await api.call(listActions, {})).body;
  return Action.parse(all.find((one) => one.name === name));
};

describe('notifications', () => {
  it('are created, listed, changed and deleted', async () => {
    const line = [
      '--env',
      'prod',
      '--on',
      'non-compliant',
      '--email',
      'ops@example.org',
      '--webhook',
      'https://hooks.example.org/in',
    ];
    const created = await create('alerts', ...line);
    expect(created).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Print the secret of its webhook with 'waymark notify secret get [0-9a-f-]+'/),
    });
    expect(created.stdout).toMatch(
      /^Notification 'alerts' \(number \d+\) was created: prod on non-compliant to webhook hooks\.example\.org; email ops@example\.org\n$/,
    );
    const before = await named('alerts');

    const update = [
      '--env',
      'prod',
      '--env',
      'staging',
      '--on',
      'ON_STARTED_ARTIFACT',
      '--name',
      'renamed',
      '--chat',
      CHAT,
    ];
    const removed = before.targets[1]?.id ?? '';
    expect(await cli.run(['notify', 'update', 'alerts', ...update, '--remove-target', removed])).toMatchObject({
      code: 0,
    });

    const after = await named('renamed');
    expect(after).toMatchObject({
      number: before.number,
      environments: ['prod', 'staging'],
      triggers: ['ON_STARTED_ARTIFACT'],
    });
    expect(after.targets).toMatchObject([
      { id: before.targets[0]?.id, type: 'WEBHOOK' },
      { type: 'CHAT', webhook: CHAT },
    ]);
    const shown = [await cli.run(['notify', 'list']), await cli.run(['notify', 'get', String(before.number)])];
    expect(shown[0]?.stdout).toContain('env prod, staging  started  webhook hooks.example.org; chat chat.example.org');
    expect(JSON.stringify(shown)).not.toContain('secret-part');
    expect(Action.parse(JSON.parse((await cli.run(['notify', 'get', 'renamed', '-o', 'json'])).stdout))).toEqual(after);

    expect(await cli.run(['notify', 'delete', 'renamed'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("This deletes the notification 'renamed'"),
    });
    expect(await cli.run(['notify', 'delete', 'gone'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("This deletes the notification 'gone'"),
    });
    expect(await cli.run(['notify', 'delete', 'gone'], { isTty: true, stdin: 'y' })).toMatchObject({ code: 5 });
    expect(await cli.run(['notify', 'delete', 'renamed', '--dry-run'])).toMatchObject({ code: 0 });
    expect(await cli.run(['notify', 'delete', 'renamed', '--yes'])).toMatchObject({ code: 0 });
    expect(await cli.run(['notify', 'get', 'renamed'])).toMatchObject({ code: 5 });
    expect(await cli.run(['notify', 'get', String(before.number)])).toMatchObject({ code: 5 });
  });

  it('watch flows as well', async () => {
    expect(await create('evidence', '--flow', 'shop', '--on', 'attestation', '--email', 'a@example.org')).toMatchObject(
      { code: 0 },
    );
    expect(await cli.run(['notify', 'update', 'evidence', '--on', 'trail', '--email', 'b@example.org'])).toMatchObject({
      code: 0,
    });
    expect(await named('evidence')).toMatchObject({ type: 'flow', flows: ['shop'], triggers: ['ON_STARTED_TRAIL'] });
    expect(await cli.run(['notify', 'update', 'evidence', '--env', 'prod'])).toMatchObject({ code: 2 });
    expect(await cli.run(['notify', 'update', 'evidence', '--name', 'x'])).toMatchObject({ code: 2 });
  });

  it('come from a file that keeps the URL of a chat secret', async () => {
    const content = {
      environments: ['prod'],
      triggers: ['ON_COMPLIANT_ENV'],
      targets: [{ type: 'CHAT', webhook: CHAT }],
    };
    writeFileSync(join(cli.home, 'n.json'), JSON.stringify({ name: 'from-file', ...content }));
    expect(await cli.run(['notify', 'create', '-f', 'n.json'])).toMatchObject({ code: 0 });
    const printed = await cli.run(['notify', 'get', 'from-file', '-o', 'yaml']);
    const again = await cli.run(['notify', 'create', '-f', '-'], { stdin: printed.stdout });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('was changed') });

    writeFileSync(join(cli.home, 'n.json'), JSON.stringify({ name: 'from-file', ...content, triggers: ['ON_X'] }));
    expect(await cli.run(['notify', 'create', '-f', 'n.json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('n.json: triggers.0'),
    });
    const broken = await cli.run(['notify', 'create', '-f', '-'], { stdin: `{"webhook": "${CHAT}` });
    expect(broken).toMatchObject({ code: 2 });
    expect(broken.stderr).not.toContain('secret-part');
  });

  it('are refused when incomplete, with the missing fields', async () => {
    const refused = [
      await create('x', '--on', 'compliant', '--email', 'a@example.org'),
      await create('x', '--env', 'prod', '--flow', 'shop', '--on', 'compliant', '--email', 'a@example.org'),
      await create('x', '--env', 'prod', '--email', 'a@example.org'),
      await create('x', '--env', 'prod', '--on', 'compliant'),
      await create('x', '--env', 'prod', '--on', 'trail', '--email', 'a@example.org'),
      await create('x', '--env', 'prod', '--on', 'whatever', '--email', 'a@example.org'),
      await create('x', '--env', '', '--on', 'compliant', '--email', 'a@example.org'),
      await cli.run(['notify', 'update', 'evidence']),
    ];

    expect(refused.map(({ code }) => code)).toEqual(refused.map(() => 2));
    expect(await create('x', '--env', 'nowhere', '--on', 'compliant', '--email', 'a@example.org')).toMatchObject({
      stdout: '',
    });
    const dry = await create('dry', '--env', 'prod', '--on', 'compliant', '--email', 'a@example.org', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('dry run') });
    expect(await cli.run(['notify', 'get', 'dry'])).toMatchObject({ code: 5 });
  });
});

describe('the configuration', () => {
  it('is set, shown and deleted', async () => {
    const config = (...line: string[]) => cli.run(['notify', 'config', ...line]);

    expect(await config('set', 'api_key_expiry')).toMatchObject({ code: 2 });
    expect(await config('set', 'api_key_expiry', '--email', 'keys@example.org')).toMatchObject({ code: 0 });
    expect(
      NotificationConfig.parse(JSON.parse((await config('get', 'api_key_expiry', '-o', 'json')).stdout)),
    ).toMatchObject({
      targets: [{ emails: ['keys@example.org'] }],
    });
    expect(await config('delete', 'api_key_expiry')).toMatchObject({ code: 2 });
    expect(await config('delete', 'api_key_expiry', '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('by email: owners'),
    });
    expect(await config('get', 'whatever')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('api_key_expiry'),
    });
  });
});

describe('targets', () => {
  it('are tested, and their secrets shown and replaced', async () => {
    const receiver = createServer((request, response) => void text(request).then(() => response.writeHead(204).end()));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    afterAll(() => receiver.close());
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`;
    const sourceId = await givenNotification(api, 500);
    const { id } = await givenTarget(api, { sourceId, url });
    const bad = await givenTarget(api, { sourceId, url: 'https://nowhere.invalid/in' });

    expect(await cli.run(['notify', 'test', id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('arrived (status 204)'),
    });
    const both = await cli.run(['notify', 'test', 'notification-500', '-o', 'json']);
    expect(both.code).toBe(3);
    expect(JSON.parse(both.stdout)).toContainEqual(expect.objectContaining({ target_id: bad.id, delivered: false }));

    const secret = await cli.run(['notify', 'secret', 'get', id]);
    expect(secret).toEqual({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/), stderr: '' });
    const rotated = await cli.run(['notify', 'secret', 'rotate', id, '--overlap', '48h']);
    expect(rotated).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('also signs messages with the old secret until'),
    });
    expect(rotated.stdout).not.toBe(secret.stdout);
    expect(await cli.run(['notify', 'secret', 'rotate', id, '--overlap', '0'])).toMatchObject({ code: 2, stdout: '' });
    expect(await cli.run(['notify', 'secret', 'rotate', id, '--overlap', '0', '--yes'])).toMatchObject({ code: 0 });
  });
});

describe('deliveries', () => {
  it('are listed, shown and sent again', async () => {
    const target = await givenTarget(api, { sourceId: await givenNotification(api, 600) });
    const ids = [await givenDelivery(api, target), await givenDelivery(api, target)];
    const deliveries = (...line: string[]) => cli.run(['notify', 'deliveries', ...line]);

    const list = await deliveries('list', '--state', 'failed', '--notification', '600', '--since', '1h', '-o', 'json');
    expect(Delivery.array().parse(JSON.parse(list.stdout))).toHaveLength(2);
    expect((await deliveries('list', '--target', target.id)).stdout).toContain(
      'non-compliant  production  hooks.example.org',
    );
    expect((await deliveries('list', '--target', target.id, '--limit', '1')).stderr).toContain(
      'Only the first is shown',
    );
    expect(DeliveryDetail.parse(JSON.parse((await deliveries('get', ids[0] ?? '', '-o', 'json')).stdout)).id).toBe(
      ids[0],
    );

    expect(await deliveries('redeliver', ids[0] ?? '')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is queued again'),
    });
    expect(await deliveries('redeliver')).toMatchObject({ code: 2 });
    expect(await deliveries('redeliver', '--since', '1h', '--target', target.id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await deliveries('redeliver', '--since', '1h', '--target', target.id, '--yes')).toMatchObject({
      stdout: '1 message is sent again\n',
    });
    expect(await deliveries('get', '00000000-0000-7000-8000-000000000000')).toMatchObject({ code: 5 });
  });
});
