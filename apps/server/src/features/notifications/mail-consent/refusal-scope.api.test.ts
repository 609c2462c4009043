import {
  deleteEnvironmentNotification,
  type NotificationTarget,
  putEnvironmentNotification,
  putNotificationConfig,
  updateEnvironmentNotification,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { startApi, type TestOrg } from '../../../../test/harness.ts';
import { newVisitor } from '../../../../test/visitor.ts';
import { unsubscribeUrl } from './unsubscribe-link.ts';

const api = await startApi();
const urlOf = unsubscribeUrl('', api.parts.secretBox);
const ADA = 'ada@example.test';

let count = 0;
let org: TestOrg = api.org;

beforeEach(async () => {
  org = await api.givenOrg(`refused-${++count}`);
  await givenEnvironment(api, 'prod', 'server', {}, org);
});

interface Notification {
  readonly number: number;
  readonly targets: readonly NotificationTarget[];
}

const bodyOf = (name: string, ...emails: string[][]) => ({
  name,
  environments: ['prod'],
  triggers: ['ON_NON_COMPLIANT_ENV' as const],
  targets: emails.map((addresses) => ({ type: 'EMAIL' as const, emails: addresses })),
});

async function put(name: string, ...emails: string[][]): Promise<Notification> {
  const call = { params: { org: org.name }, key: org.keys.admin, body: bodyOf(name, ...emails) };
  const { status, body } = await api.call(putEnvironmentNotification, call);
  expect([200, 201]).toContain(status);
  return body as unknown as Notification;
}

async function putConfig(...emails: string[]): Promise<Notification> {
  const params = { org: org.name, notification_type: 'api_key_expiry' as const };
  const body = { targets: [{ type: 'EMAIL' as const, emails }] };
  const answer = await api.call(putNotificationConfig, { params, key: org.keys.admin, body });
  expect([200, 201]).toContain(answer.status);
  return answer.body as unknown as Notification;
}

async function remove({ number }: Notification): Promise<void> {
  const params = { org: org.name, number: String(number) };
  await api.call(deleteEnvironmentNotification, { params, key: org.keys.admin });
}

const linkOf = ({ targets }: Notification, address = ADA) => urlOf(org.id, targets[0]?.id ?? '', address) ?? '';
const refused = ({ targets }: Notification) =>
  targets.flatMap((target) => (target.type === 'EMAIL' ? target.unsubscribed : []));

function refuse(path: string, payload = 'List-Unsubscribe=One-Click') {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return api.inject({ method: 'POST', url: path, headers, payload });
}

describe('refusing a notification', () => {
  it('still applies when it is deleted and created again, in any spelling of the address', async () => {
    const first = await put('alerts', [ADA]);
    expect((await refuse(linkOf(first))).status).toBe(200);
    await remove(first);
    expect(refused(await put('alerts', ['Ada@Example.test', 'bob@example.test']))).toEqual(['Ada@Example.test']);
    expect(refused(await put('others', [ADA]))).toEqual([]);
  });

  it('applies to its successor when the link of the deleted one is used', async () => {
    const first = await put('alerts', [ADA]);
    await remove(first);
    await put('alerts', ['x@example.test'], ['bob@example.test', 'ADA@example.test']);
    expect((await refuse(linkOf(first))).status).toBe(200);
    const again = await put('alerts', ['x@example.test'], ['bob@example.test', 'ADA@example.test']);
    expect(refused(again)).toEqual(['ADA@example.test']);
  });

  it('works for warnings about keys that an admin has sent there', async () => {
    const config = await putConfig(ADA);
    const seen = await newVisitor(api).get(linkOf(config));
    expect(seen.html).toContain('Stop these warnings');
    expect((await refuse(linkOf(config))).status).toBe(200);
    expect(refused(await putConfig(ADA, 'bob@example.test'))).toEqual([ADA]);
    expect(refused(await put('alerts', [ADA]))).toEqual([]);
  });
});

describe('refusing a whole org', () => {
  const all = (path: string) => refuse(path, 'stop=org');
  const entries = async () =>
    (await api.journal(org)).filter(({ type }) => type.includes('refusal')).map(({ type, payload }) => [type, payload]);

  it('is offered before and after, and applies to every notification now and later', async () => {
    const one = await put('one', [ADA]);
    await put('two', ['Ada@example.test', 'bob@example.test']);
    await putConfig(ADA);
    const visitor = newVisitor(api);
    const offer = `Stop all notification emails of <bdi>${org.name}</bdi>`;
    expect((await visitor.get(linkOf(one))).html).toContain(offer);
    expect((await visitor.post(linkOf(one))).html).toContain(offer);
    expect((await visitor.post(linkOf(one), { stop: 'org' })).html).toContain(
      'You are unsubscribed from all notification emails',
    );
    expect((await visitor.get(linkOf(one))).html).toContain('You are unsubscribed from all notification emails');
    expect(refused(await put('two', ['Ada@example.test', 'bob@example.test']))).toEqual(['Ada@example.test']);
    expect(refused(await put('three', ['ADA@example.test']))).toEqual(['ADA@example.test']);
    expect(refused(await putConfig(ADA))).toEqual([ADA]);
    expect(await entries()).toEqual([
      ['mail_refusal.recorded', { notification: 'one', address: ADA }],
      ['org_mail_refusal.recorded', { address: ADA }],
    ]);
  });

  it('does not affect another org', async () => {
    const one = await put('one', [ADA]);
    expect((await all(linkOf(one))).status).toBe(200);
    org = await api.givenOrg(`refused-${++count}`);
    await givenEnvironment(api, 'prod', 'server', {}, org);
    expect(refused(await put('one', [ADA]))).toEqual([]);
  });

  it('again changes nothing, and neither do many at once', async () => {
    const one = await put('one', [ADA]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => all(linkOf(one))));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await refuse(linkOf(one))).body).toContain('You are unsubscribed from all notification emails');
    expect(await entries()).toEqual([['org_mail_refusal.recorded', { address: ADA }]]);
  });

  it('applies to a notification that is put at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const address = `ada${round}@example.test`;
      const one = await put('one', [address]);
      const names = Array.from({ length: 4 }, (_, i) => `race ${round} ${i}`);
      await Promise.all([...names.map((name) => put(name, [address])), all(linkOf(one, address))]);
      const { rows } = await api.db.executeQuery<{ name: string }>(
        api.db
          .selectFrom('notification_target as target')
          .innerJoin('notification', (join) =>
            join.onRef('notification.org_id', '=', 'target.org_id').onRef('notification.id', '=', 'target.source_id'),
          )
          .innerJoin('mail_refusal as refusal', (join) =>
            join.onRef('refusal.org_id', '=', 'target.org_id').onRef('refusal.target_id', '=', 'target.id'),
          )
          .select('notification.name')
          .where('target.org_id', '=', org.id)
          .where('refusal.address', '=', address)
          .where('notification.name', 'in', names)
          .orderBy('notification.name')
          .compile(),
      );
      expect(rows.map(({ name }) => name)).toEqual(names);
    }
  });
});

describe('a link', () => {
  async function expectNothing(path: string, ...names: string[]): Promise<void> {
    const [seen, sent] = [await newVisitor(api).get(path), await refuse(path)];
    expect([seen.status, sent.status]).toEqual([404, 404]);
    for (const text of [seen.html, String(sent.body)]) {
      expect(text).toContain('This link is not valid');
      for (const name of [...names, org.name]) expect(text).not.toContain(name);
    }
  }

  it('shows nothing once the address was removed, and works again when it is put back', async () => {
    const known = await put('alerts', [ADA]);
    await put('alerts', ['bob@example.test']);
    await expectNothing(linkOf(known), 'alerts');
    await put('alerts', [ADA]);
    expect((await newVisitor(api).get(linkOf(known))).status).toBe(200);
  });

  it('shows nothing of a notification that continues without its target', async () => {
    const known = await put('alerts', [ADA], ['bob@example.test']);
    const params = { org: org.name, number: String(known.number) };
    const body = bodyOf('secret plans', ['bob@example.test']);
    await api.call(updateEnvironmentNotification, { params, key: org.keys.admin, body });
    await expectNothing(linkOf(known), 'alerts', 'secret plans');
  });

  it('shows nothing for an address that was never a recipient', async () => {
    await expectNothing(linkOf(await put('alerts', [ADA]), 'eve@example.test'), 'alerts');
  });

  it('works after the address was moved to another target of the notification', async () => {
    const known = await put('alerts', [ADA], ['bob@example.test']);
    const moved = await put('alerts', ['bob@example.test', 'x@example.test'], ['ADA@example.test', 'y@example.test']);
    expect((await refuse(linkOf(known))).status).toBe(200);
    expect(moved.targets).toHaveLength(2);
    const again = await put('alerts', ['bob@example.test', 'x@example.test'], ['ADA@example.test', 'y@example.test']);
    expect(refused(again)).toEqual(['ADA@example.test']);
  });
});
