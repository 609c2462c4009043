import { createClient } from '@waymark/client';
import {
  allowArtifact,
  attestGeneric,
  beginTrail,
  getEnvironment,
  getPolicy,
  listAttestations,
  listDeliveries,
  listEnvironmentWaivers,
  putFlowAction,
  withdrawWaiver,
} from '@waymark/contract';
import { describe, expect, vi } from 'vitest';
import { bothWays, counted } from '../hands.ts';
import { door, HERE, panel } from '../landmarks.ts';
import { startReceiver } from '../receiver.ts';
import { openStage } from '../stage.ts';

const receiver = await startReceiver();
vi.stubEnv('NODE_EXTRA_CA_CERTS', receiver.caFile);
const stage = await openStage();
const { org } = stage;
const ada = createClient({ baseUrl: `${stage.url}/api/v2`, apiKey: org.keys.ada });
const inPlace = (env_name: string) => ({ org: org.name, env_name });
const now = () => Math.floor(Date.now() / 1000);

/** How far what people do every day is from Home, in presses of links and buttons. */
describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey('why production is red takes 2 clicks to the evidence, and a waiver with a reason 3 from there', async () => {
    const { page, troubles } = await stage.open('ada', HERE);
    const hands = counted(handsOf(page));
    const { image, fingerprint, trail } = org.violation.release;
    const reason = `The findings are in code that is not called, ${hands.name}`;
    await page.goto(`/${org.name}`);
    const red = panel(page, 'Needs attention').getByRole('listitem').filter({ hasText: 'Non-compliant' });
    await hands.press(red.filter({ hasText: 'production' }).getByRole('link', { name: 'Why?' }).first());
    const why = panel(page, 'Why production is non-compliant');
    const tree = why.getByRole('treegrid');
    await tree
      .getByText(/2 errors, 1 warning/)
      .first()
      .waitFor();
    const toFix = why.getByRole('region', { name: 'To fix' });
    await toFix.getByText(`report 'sast' again in trail '${trail}' of flow 'payments'`).waitFor();
    const [fix, reasons] = [await toFix.boundingBox(), await tree.boundingBox()];
    expect(fix?.y).toBeLessThan(reasons?.y ?? 0);
    await hands.press(toFix.getByRole('link', { name: 'Open sast' }));
    await page.getByRole('dialog').getByText('sast').first().waitFor();
    expect(hands.clicks()).toBeLessThanOrEqual(2);

    await page.goBack();
    await hands.press(toFix.getByRole('button', { name: `Waive ${image} in production` }));
    const form = page.getByRole('dialog', { name: 'Add waiver in production' });
    await hands.fill(form.getByRole('textbox', { name: 'Reason for the waiver' }), reason);
    await hands.press(form.getByRole('button', { name: 'Add waiver', exact: true }));
    await page.getByText(`Waiver for ‘${image}’ added`).waitFor();
    expect(hands.clicks()).toBeLessThanOrEqual(3);
    expect(await ada.call(getEnvironment, { params: inPlace('production') })).toMatchObject({
      compliance: 'compliant',
    });
    const waivers = await ada.call(listEnvironmentWaivers, { params: inPlace('production'), query: {} });
    expect(waivers).toContainEqual(expect.objectContaining({ fingerprint, description: reason, expires_at: null }));
    await ada.call(withdrawWaiver, { params: { ...inPlace('production'), fingerprint } });
    expect(troubles).toEqual([]);
  });

  journey('a waiver is renewed from Home in 2 clicks, with the reason of the old one', async () => {
    const { page, troubles } = await stage.open('ada', HERE);
    const hands = counted(handsOf(page));
    const [name, fingerprint] = [`importer-${hands.name}`, (hands.name === 'mouse' ? 'a' : 'b').repeat(64)];
    const description = 'Replaced by the new importer next month';
    const old = { artifact_fingerprint: fingerprint, artifact_name: name, description, expires_at: now() + 7_200 };
    await ada.call(allowArtifact, { params: inPlace('staging'), body: old });
    const waivers = () => ada.call(listEnvironmentWaivers, { params: inPlace('staging'), query: { ended: 'true' } });

    await page.goto(`/${org.name}`);
    const expiring = panel(page, 'Needs attention').getByRole('listitem').filter({ hasText: name });
    await hands.press(expiring.getByRole('button', { name: `Renew ${name} in staging` }));
    const form = page.getByRole('dialog', { name: `Renew the waiver for ${name}` });
    const reason = form.getByRole('textbox', { name: 'Reason for the waiver' });
    await reason.waitFor();
    expect(await reason.inputValue()).toBe(description);
    await hands.press(form.getByRole('button', { name: 'Renew waiver' }));
    await page.getByText(`Waiver for ‘${name}’ renewed`).waitFor();
    expect(hands.clicks()).toBeLessThanOrEqual(2);
    const [renewed, replaced] = (await waivers()).filter((one) => one.fingerprint === fingerprint);
    expect(replaced).toMatchObject({ end_reason: 'replaced', expires_at: old.expires_at });
    expect(renewed).toMatchObject({ description, ended_at: null, artifact_name: name });
    expect(renewed?.expires_at).toBeGreaterThan(now() + 86_400 - 7_200);
    expect(troubles).toEqual([]);
  });

  journey('a failing report is overridden with a reason where its fix is read, in 2 clicks', async () => {
    const { page, troubles } = await stage.open('ada', HERE);
    const hands = counted(handsOf(page));
    const params = { org: org.name, flow_name: 'mailer', trail_name: `overridden-${hands.name}` };
    const reason = 'The linter is broken today';
    await ada.call(beginTrail, { params, body: { name: params.trail_name } });
    await ada.call(attestGeneric, { params, body: { attestation_name: 'lint', is_compliant: false } });

    await page.goto(`/${org.name}/flows/mailer/trails/${params.trail_name}/why`);
    const toFix = page.getByRole('region', { name: /^To fix/ });
    await toFix.getByRole('link', { name: 'Open lint' }).waitFor();
    const row = toFix.getByRole('listitem').filter({ hasText: "report 'lint' again" });
    await hands.press(row.getByRole('button', { name: 'Override…' }));
    const form = page.getByRole('dialog', { name: 'Override the verdict' });
    await hands.fill(form.getByRole('textbox', { name: 'Reason for the override' }), reason);
    await hands.press(form.getByRole('button', { name: 'Override as compliant' }));
    await page.getByText('‘lint’ overridden').waitFor();
    expect(hands.clicks()).toBeLessThanOrEqual(2);
    await row.waitFor({ state: 'detached' });
    const { data } = await ada.call(listAttestations, { params: { org: org.name }, query: { type: 'override' } });
    expect(data[0]).toMatchObject({ attestation_name: 'lint', is_compliant: true, override_reason: reason });
    expect(troubles).toEqual([]);
  });

  journey('a policy is written, back-tested, saved, and attached in 6 clicks', async () => {
    const { page, troubles } = await stage.open('ada', HERE);
    const hands = counted(handsOf(page));
    const name = `six-clicks-${hands.name}`;
    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Policies'));
    await hands.press(page.getByRole('link', { name: 'Create policy' }));
    await hands.enter(page.getByRole('textbox', { name: 'Policy (YAML)' }));
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type("    - { name: lint, type: generic, if: '${{ exists(flow) }}' }");
    await page.keyboard.press('Escape');
    await hands.fill(page.getByRole('textbox', { name: 'Name' }), name);
    await hands.press(page.getByRole('button', { name: 'Back-test' }));
    await page.getByRole('heading', { name: /verdicts? would fail/ }).waitFor();
    expect(new URL(page.url()).search).toBe('');

    await hands.press(page.getByRole('button', { name: 'Save as new version' }));
    const dialog = page.getByRole('dialog', { name: `Save version 1 of ${name}` });
    await hands.press(dialog.getByRole('checkbox', { name: 'batch', exact: true }));
    await dialog.getByText('Waymark re-evaluates 1 environment within seconds.').waitFor();
    await hands.press(dialog.getByRole('button', { name: 'Save version 1 and attach' }));
    await page.getByText(`${name} attached to batch`).waitFor();
    expect(hands.clicks()).toBeLessThanOrEqual(6);
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    const saved = await ada.call(getPolicy, { params: { org: org.name, name } });
    expect(saved.versions[0]?.policy_yaml).toContain('name: lint');
    expect(saved.consuming_envs).toEqual(['batch']);
    // The page requests names that do not exist yet, and browsers log each 404.
    expect(troubles.filter((text) => !text.includes('404'))).toEqual([]);
  });

  journey('what was not delivered is redelivered from Home in 2 clicks', async () => {
    const { page, troubles } = await stage.open('ada', HERE);
    const hands = counted(handsOf(page));
    const [path, trail, name] = [`down-${hands.name}`, `undelivered-${hands.name}`, `Bridge, ${hands.name}`];
    const params = { org: org.name };
    receiver.refuse(path);
    await ada.call(putFlowAction, {
      params,
      body: {
        name,
        flows: ['mailer'],
        triggers: ['ON_STARTED_TRAIL'],
        targets: [{ type: 'WEBHOOK', webhook: receiver.url(path), payload_version: '1.0' }],
      },
    });
    await ada.call(beginTrail, { params: { ...params, flow_name: 'mailer' }, body: { name: trail } });
    const failed = async () =>
      (await ada.call(listDeliveries, { params, query: { state: 'failed' } })).filter(
        ({ notification }) => notification?.name === name,
      );
    await expect.poll(failed, { timeout: 180_000 }).toHaveLength(1);
    receiver.accept(path);

    await page.goto(`/${org.name}`);
    const lost = panel(page, 'Needs attention').getByRole('listitem').filter({ hasText: receiver.host });
    await hands.press(lost.getByRole('button', { name: 'Redeliver …' }));
    await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Redeliver', exact: true }));
    await page.getByText('1 message queued again').waitFor();
    expect(hands.clicks()).toBeLessThanOrEqual(2);
    const received = () => receiver.received(path).map(({ body }) => JSON.stringify(body));
    await expect.poll(received, { timeout: 60_000 }).toContainEqual(expect.stringContaining(trail));
    await lost.waitFor({ state: 'detached' });
    expect(troubles).toEqual([]);
  });
});
