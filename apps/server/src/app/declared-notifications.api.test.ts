import {
  deleteEnvironmentNotification,
  type EnvironmentNotification,
  getEnvironmentNotification,
  listEnvironmentNotifications,
  putEnvironmentNotification,
  updateEnvironmentNotification,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { TEXTS } from '../../test/given/declared.ts';
import { givenEnvironment } from '../../test/given/environments.ts';
import { webhook } from '../../test/given/notifications.ts';
import { type Answer, startApi } from '../../test/harness.ts';

const api = await startApi();
for (const environment of ['zeta', 'alpha', 'mid']) await givenEnvironment(api, environment);
let name = '';
let count = 0;
beforeEach(() => {
  name = `action-${++count}`;
});

const declared = (more: object = {}) =>
  ({
    name,
    type: 'env',
    environments: ['zeta', 'alpha'],
    triggers: ['ON_NON_COMPLIANT_ENV', 'ON_ALLOWED_ARTIFACT', 'ON_COMPLIANT_ENV'],
    targets: [{ ...webhook(), payload_version: '1.0' }],
    ...more,
  }) as never;
const key = api.org.keys.admin;
const put = (more?: object) => api.call(putEnvironmentNotification, { key, body: declared(more) });
const list = async () => (await api.call(listEnvironmentNotifications, { key })).body as EnvironmentNotification[];
const named = async () => (await list()).find((one) => one.name === name);
const at = (number: number) => ({ key, params: { number: String(number) } });
const get = (number: number) =>
  api.call(getEnvironmentNotification, at(number)) as Promise<Answer<EnvironmentNotification>>;

describe('an action as a declared resource', () => {
  it('is found by its name in the list as it was created, and read by its number', async () => {
    expect((await put()).status).toBe(201);
    const found = await named();
    expect(found).toMatchObject({
      name,
      type: 'env',
      environments: ['zeta', 'alpha'],
      triggers: ['ON_NON_COMPLIANT_ENV', 'ON_ALLOWED_ARTIFACT', 'ON_COMPLIANT_ENV'],
      targets: [{ ...webhook(), payload_version: '1.0' }],
      is_created_from_slack_app: false,
    });
    expect(await get(found?.number ?? 0)).toMatchObject({ status: 200, body: found });
  });

  it('keeps environments, triggers and targets in the order given, through every change', async () => {
    const { number } = (await put()).body;
    const orders = [
      { environments: ['alpha', 'zeta', 'mid'], triggers: ['ON_COMPLIANT_ENV', 'ON_NON_COMPLIANT_ENV'] },
      { environments: ['mid'], triggers: ['ON_SCALED_ARTIFACT', 'ON_EXITED_ARTIFACT', 'ON_STARTED_ARTIFACT'] },
      { environments: ['mid', 'alpha'], triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'] },
    ];
    for (const order of orders) {
      const targets = [webhook('https://z.example.org/1'), webhook('https://a.example.org/2')];
      const body = declared({ ...order, targets });
      expect((await api.call(updateEnvironmentNotification, { ...at(number), body })).status).toBe(200);
      const { body: found } = await get(number);
      expect(found).toMatchObject({ ...order, targets });
      expect((await api.call(updateEnvironmentNotification, { ...at(number), body })).body).toEqual(found);
    }
  });

  it('is the same after an apply that changes nothing', async () => {
    await put();
    const before = await named();
    expect((await put()).status).toBe(200);
    expect(await named()).toEqual(before);
  });

  it.each(TEXTS.filter((text) => text.trim() !== ''))('keeps a name byte for byte: %j', async (text) => {
    name = text;
    const { number } = (await put()).body;
    expect((await get(number)).body.name).toBe(text);
  });

  it('is gone once it is destroyed, and can be created again', async () => {
    const { number } = (await put()).body;
    expect((await api.call(deleteEnvironmentNotification, at(number))).status).toBe(200);
    expect((await get(number)).status).toBe(404);
    expect(await named()).toBeUndefined();
    expect((await put()).status).toBe(201);
    expect((await named())?.number).toBeGreaterThan(number);
  });
});
