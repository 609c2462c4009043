import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createClient } from '@waymark/client';
import {
  beginTrail,
  getEnvironment,
  listActions,
  listDeliveries,
  listEnvironmentWaivers,
  listSnapshotArtifacts,
  putFlowAction,
  putPolicy,
  testTarget,
} from '@waymark/contract';
import type { Download, Locator, Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { DAY, plus, storyTimes } from '../../../../tools/demo/moments.ts';
import { bothWays, type Hands } from '../hands.ts';
import { door, fillDay, HERE, panel, part, pick } from '../landmarks.ts';
import { startReceiver } from '../receiver.ts';
import { openStage } from '../stage.ts';

const receiver = await startReceiver();
vi.stubEnv('NODE_EXTRA_CA_CERTS', receiver.caFile);
const stage = await openStage();
const { org } = stage;
const SOON = { timeout: 180_000 };
const params = { org: org.name };

const apiOf = (apiKey: string) => createClient({ baseUrl: `${stage.url}/api/v2`, apiKey });
const ada = apiOf(org.keys.ada);
const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const environment = (env_name: string) => ada.call(getEnvironment, { params: { ...params, env_name } });
/** The verdict in the head of the page, which is the first one. */
const verdict = (page: Page, word: string) => page.getByRole('main').getByText(word, { exact: true }).first();

async function downloaded(page: Page, press: () => Promise<void>): Promise<{ name: string; path: string }> {
  const [download]: [Download, unknown] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), path: await download.path() };
}

async function opened(page: Page, hands: Hands, link: Locator): Promise<Page> {
  const [tab] = await Promise.all([page.context().waitForEvent('page'), hands.press(link)]);
  await tab.waitForLoadState();
  return tab;
}

describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey('an admin waives a failure until a day, with a reason, and withdraws the waiver', async () => {
    const { page, troubles } = await stage.open('ada', HERE);
    const hands = handsOf(page);
    const { image, fingerprint } = org.violation.release;
    const day = dayOf(plus(new Date(), 3 * DAY));
    const reason = `Findings are in code that is not called, ${hands.name}`;
    const waiver = async () => {
      const all = await ada.call(listEnvironmentWaivers, {
        params: { ...params, env_name: 'production' },
        query: { ended: 'true' },
      });
      return all.find(({ description }) => description === reason);
    };
    await page.goto(`/${org.name}`);
    const red = panel(page, 'Needs attention').getByRole('listitem').filter({ hasText: 'Non-compliant' });
    await hands.press(red.getByRole('link', { name: 'production', exact: true }));
    await hands.press(part(page, 'Policies'));
    await hands.press(page.getByRole('button', { name: 'Add waiver' }));
    const form = page.getByRole('dialog', { name: 'Add waiver in production' });
    await hands.choose(form.getByRole('combobox', { name: /Artifact/ }), `${image} (failing)`);
    await hands.fill(form.getByRole('textbox', { name: 'Reason for the waiver' }), reason);
    await fillDay(page, hands, form.getByLabel('Expires at the end of'), day);
    await hands.press(form.getByRole('button', { name: 'Add waiver', exact: true }));
    await page.getByText(`Waiver for ‘${image}’ added`).waitFor();
    const row = page.getByRole('table', { name: 'Waivers in production' }).getByRole('row', { name: reason });
    await row.getByText('Expires soon').waitFor();
    await verdict(page, 'Compliant').waitFor();
    expect(await waiver()).toMatchObject({
      fingerprint,
      expires_at: Date.parse(`${day}T23:59:59Z`) / 1000,
      ended_at: null,
    });
    expect(await environment('production')).toMatchObject({ compliance: 'compliant' });

    await hands.press(part(page, 'Now'));
    const running = page.getByRole('table', { name: 'Artifacts of production' }).getByRole('row');
    const waived = running.filter({ has: page.getByRole('link', { name: image, exact: true }) });
    await waived.getByText('Waived').waitFor();
    await waived.getByText(reason).waitFor();

    await hands.press(door(page, 'Audit'));
    await hands.press(part(page, 'Waivers and overrides'));
    const exception = page.getByRole('table', { name: /^Waivers/ }).getByRole('row', { name: reason });
    await hands.press(exception.getByRole('button', { name: `Withdraw ${image}` }));
    const asked = page.getByRole('dialog', { name: `Withdraw the waiver for ${image}?` });
    await hands.press(asked.getByRole('button', { name: 'Withdraw' }));
    await page.getByText('Waiver withdrawn').waitFor();
    await exception.waitFor({ state: 'detached' });
    expect(await waiver()).toMatchObject({ end_reason: 'withdrawn', ended_by: 'ada' });
    expect(await environment('production')).toMatchObject({ compliance: 'non-compliant' });
    await hands.press(door(page, 'Home'));
    await red.getByText(image).first().waitFor();
    expect(troubles).toEqual([]);
  });

  journey('a user attaches a policy that nothing meets, sees the verdict change, and detaches it', async () => {
    const { page, troubles } = await stage.open('bea', HERE);
    const hands = handsOf(page);
    const name = `load-tested-${hands.name}`;
    await apiOf(org.keys.bea).call(putPolicy, {
      params: { ...params, name },
      body: {
        policy_yaml:
          '_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - { name: under-load, type: generic }\n',
      },
    });
    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Environments'));
    await hands.press(page.getByRole('link', { name: 'staging', exact: true }));
    await hands.press(part(page, 'Policies'));
    await verdict(page, 'Compliant').waitFor();
    await hands.press(page.getByRole('button', { name: 'Attach policy' }));
    const form = page.getByRole('dialog', { name: 'Attach policy to staging' });
    await pick(page, hands, form.getByRole('combobox', { name: 'Policy' }), name);
    await hands.press(form.getByRole('button', { name: 'Attach policy', exact: true }));
    await page.getByText(`Policy ‘${name}’ attached`).waitFor();
    await verdict(page, 'Non-compliant').waitFor();
    const { counts } = await ada.call(listSnapshotArtifacts, {
      params: { ...params, env_name: 'staging', snapshot_expression: '-1' },
      query: {},
    });
    const attached = page.getByRole('table', { name: 'Policies attached to staging' }).getByRole('row', { name });
    await attached.getByText(`${counts['non-compliant']} failing`).waitFor();
    expect(counts).toMatchObject({ compliant: 0, unknown: 0 });
    expect(await environment('staging')).toMatchObject({ compliance: 'non-compliant', policies: ['baseline', name] });

    await hands.press(attached.getByRole('button', { name: `Detach ${name}` }));
    const asked = page.getByRole('dialog', { name: `Detach ${name} from staging?` });
    await hands.press(asked.getByRole('button', { name: 'Detach policy', exact: true }));
    await page.getByText(`Policy ‘${name}’ detached`).waitFor();
    await verdict(page, 'Compliant').waitFor();
    await attached.waitFor({ state: 'detached' });
    expect(await environment('staging')).toMatchObject({ compliance: 'compliant', policies: ['baseline'] });
    expect(troubles).toEqual([]);
  });

  journey(
    'an auditor downloads the package of a trail and the report of a period, and finds who attached a policy',
    async () => {
      const { page, troubles } = await stage.open('carl', { ...HERE, acceptDownloads: true });
      const hands = handsOf(page);
      const { hotfix, at } = org.incident;
      await page.goto(`/${org.name}`);
      await hands.press(door(page, 'Audit'));
      await hands.press(part(page, 'Packages and reports'));
      await hands.fill(page.getByRole('searchbox', { name: 'Name starts with' }), hotfix.trail);
      const link = page.getByRole('link', { name: `Download package of ${hotfix.trail}` });
      await page.getByRole('table', { name: /^Matching trails/ }).waitFor();
      const archive = await downloaded(page, () => hands.press(link));
      expect(archive.name).toMatch(/\.tgz$/);
      const files = execFileSync('tar', ['-tzf', archive.path], { encoding: 'utf8' });
      for (const file of ['index.html', 'manifest.json', 'SHA256SUMS', 'README.md']) expect(files).toContain(file);
      const report = files.split('\n').find((file) => file.endsWith('index.html')) ?? '';
      const index = execFileSync('tar', ['-xzOf', archive.path, report], { encoding: 'utf8' });
      expect(index).toContain(hotfix.fingerprint);

      const period = panel(page, 'Environment report');
      await pick(page, hands, period.getByRole('combobox', { name: 'Environment' }), 'production');
      await period.getByRole('link', { name: 'Open report' }).waitFor();
      const [from, to] = [dayOf(plus(at, -DAY)), dayOf(plus(at, DAY))];
      await fillDay(page, hands, period.getByLabel('From'), from);
      await fillDay(page, hands, period.getByLabel('To (inclusive)'), to);
      await page.waitForURL(({ searchParams }) => searchParams.get('from') === from && searchParams.get('to') === to);
      const printed = await opened(page, hands, period.getByRole('link', { name: 'Open report' }));
      await printed.getByRole('heading', { level: 1 }).waitFor();
      const text = (await printed.locator('body').textContent()) ?? '';
      for (const part of ['production', hotfix.image, '38 min']) expect(text).toContain(part);
      await printed.close();
      const pdf = await downloaded(page, () => hands.press(period.getByRole('button', { name: 'Download PDF' })));
      expect(pdf.name).toBe(`production-${from}-${to}.pdf`);
      expect((await readFile(pdf.path)).subarray(0, 4).toString()).toBe('%PDF');

      const { founded } = storyTimes(org.now);
      await hands.press(part(page, 'Activity'));
      await hands.choose(page.getByRole('combobox', { name: /Subject/ }), 'Policies');
      await fillDay(page, hands, page.getByLabel('To', { exact: true }), dayOf(founded));
      const done = page.getByRole('table', { name: /^Activity/ }).getByRole('row');
      const attached = done.filter({ hasText: 'Attached policy prod-release to production' });
      await attached.getByRole('button', { name: 'bea' }).waitFor();
      await attached.getByText(new RegExp(`${founded.getUTCFullYear()}, .* UTC$`)).waitFor();
      expect(troubles).toEqual([]);
    },
  );

  journey(
    'a broken webhook is found from Home, its attempt read, its address fixed, and the message resent',
    async () => {
      const { page, troubles } = await stage.open('ada', HERE);
      const hands = handsOf(page);
      const [name, trail] = [`Bridge, ${hands.name}`, `bridged-${hands.name}`];
      const [wrong, right] = [`gone-${hands.name}`, `bridge-${hands.name}`];
      receiver.refuse(wrong);
      await ada.call(putFlowAction, {
        params,
        body: {
          name,
          flows: ['mailer'],
          triggers: ['ON_STARTED_TRAIL'],
          targets: [{ type: 'WEBHOOK', webhook: receiver.url(wrong), payload_version: '1.0' }],
        },
      });
      await apiOf(org.keys.ci).call(beginTrail, { params: { ...params, flow_name: 'mailer' }, body: { name: trail } });
      const failed = async () =>
        (await ada.call(listDeliveries, { params, query: { state: 'failed' } })).find(
          ({ notification }) => notification?.name === name,
        );
      await expect.poll(failed, SOON).toBeDefined();
      const { id = '', target } = (await failed()) ?? {};
      const tested = await ada.call(testTarget, { params: { ...params, target_id: target?.id ?? '' } });
      expect(tested.delivered).toBe(false);

      await page.goto(`/${org.name}`);
      const lost = panel(page, 'Needs attention').getByRole('listitem').filter({ hasText: receiver.host });
      await lost.getByText('1 message not delivered to').waitFor();
      await hands.press(lost.getByRole('link', { name: 'Review deliveries' }));
      const listed = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
      await listed.getByRole('link', { name: new RegExp(trail) }).waitFor();
      // The header row, and the one message that can be resent; the test message is left out.
      expect(await listed.count()).toBe(2);
      await hands.press(listed.getByRole('link', { name: new RegExp(trail) }));
      const attempts = panel(page, 'Attempts').getByRole('listitem');
      await attempts.filter({ hasText: 'Attempt 1 failed' }).getByText('status 404').waitFor();
      await panel(page, 'Payload').getByText(trail).first().waitFor();
      await hands.press(panel(page, 'Details').getByRole('link', { name }));

      const card = panel(page, name);
      await hands.press(card.getByRole('button', { name: 'Edit' }));
      const form = page.getByRole('dialog', { name: `Edit ${name}` });
      await hands.fill(form.getByRole('textbox', { name: 'URL' }), receiver.url(right));
      await hands.press(form.getByRole('button', { name: 'Save' }));
      await page.getByText('Notification saved').waitFor();
      await hands.press(card.getByRole('link', { name: 'All deliveries' }));
      await hands.press(page.getByRole('table', { name: 'Deliveries' }).getByRole('link', { name: new RegExp(trail) }));
      await hands.press(page.getByRole('button', { name: 'Redeliver' }));
      await attempts.filter({ hasText: 'Attempt 2 delivered' }).waitFor();
      await verdict(page, 'Delivered').waitFor();

      const [received] = receiver.received(right);
      expect(received?.headers['webhook-id']).toBe(id);
      expect(JSON.stringify(received?.body)).toContain(trail);
      await hands.press(door(page, 'Home'));
      await panel(page, 'Needs attention').getByText('Non-compliant').first().waitFor();
      await lost.waitFor({ state: 'detached' });
      expect(troubles).toEqual([]);
    },
  );

  journey('an admin sets up a notification, sends a test that arrives, and deletes it', async () => {
    const { page, troubles } = await stage.open('ada', HERE);
    const hands = handsOf(page);
    const [name, path] = [`Alarm, ${hands.name}`, `alarm-${hands.name}`];
    const named = async () => (await ada.call(listActions, { params })).find((action) => action.name === name);
    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Notifications'));
    await hands.press(page.getByRole('button', { name: 'Create environment notification' }));
    const form = page.getByRole('dialog', { name: 'Create environment notification' });
    await hands.fill(form.getByRole('textbox', { name: 'Name' }), name);
    await form.getByText('Choose an environment to watch').waitFor();
    await pick(page, hands, form.getByRole('combobox', { name: 'Environments to watch' }), 'eu-production');
    await form.getByText('Choose a trigger').waitFor();
    await hands.press(form.getByRole('checkbox', { name: /^Environment becomes non-compliant/ }));
    await hands.fill(form.getByRole('textbox', { name: 'URL' }), receiver.url(path));
    await hands.press(form.getByRole('button', { name: 'Create notification' }));
    await page.getByText('Notification created').waitFor();
    expect(await named()).toMatchObject({
      environments: ['eu-production'],
      triggers: ['ON_NON_COMPLIANT_ENV'],
      targets: [{ type: 'WEBHOOK', webhook: receiver.url(path) }],
    });

    const card = panel(page, name);
    await card.getByText('Nothing sent yet').waitFor();
    await hands.press(card.getByRole('button', { name: 'Send test' }));
    await card.getByText(/^Test delivered in \d+ ms/).waitFor();
    await card.getByText('Works', { exact: true }).waitFor();
    expect(receiver.received(path)).toHaveLength(1);

    await hands.press(card.getByRole('button', { name: 'Delete' }));
    const asked = page.getByRole('dialog', { name: `Delete ${name}?` });
    await hands.press(asked.getByRole('button', { name: 'Delete' }));
    await page.getByText(`${name} deleted.`).waitFor();
    await card.waitFor({ state: 'detached' });
    expect(await named()).toBeUndefined();
    expect(troubles).toEqual([]);
  });
});
