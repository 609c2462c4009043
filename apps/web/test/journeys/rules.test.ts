import { createClient } from '@waymark/client';
import {
  attestDecision,
  getControl,
  getPolicy,
  listControlVersions,
  POLICY_EXAMPLE,
  simulatePolicy,
} from '@waymark/contract';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { bothWays, type Hands } from '../hands.ts';
import { openStage } from '../stage.ts';

const stage = await openStage();
const { org } = stage;
const DAY = 86_400;
const REVIEWED_TWICE = "    - { name: pull-request, type: pull_request, min_approvals: 2, if: '${{ exists(flow) }}' }";

const apiOf = (apiKey: string) => createClient({ baseUrl: `${stage.url}/api/v2`, apiKey });
const door = (page: Page, name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: /^Parts of/ }).getByRole('link', { name, exact: true });
const panel = (page: Page, name: string | RegExp) => page.getByRole('region', { name });
const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Policy (YAML)' });

/** Adds a line below the last one, key by key. */
async function writeLastLine(page: Page, hands: Hands, line: string): Promise<void> {
  await hands.enter(editorOf(page));
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type(line);
  await page.keyboard.press('Escape');
}

describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey(
    'a compliance officer fixes a draft, sees what it would have changed in production, and saves it',
    async () => {
      const { page, troubles } = await stage.open('bea');
      const hands = handsOf(page);
      const name = `reviewed-twice-${hands.name}`;
      await page.goto(`/${org.name}`);
      await hands.press(door(page, 'Policies'));
      await hands.press(page.getByRole('link', { name: 'Create policy' }));

      await writeLastLine(page, hands, REVIEWED_TWICE.replace('min_approvals', 'min_aprovals'));
      await page.getByText('1 problem; fix before saving').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: /Line 8.*min_aprovals/ })
        .waitFor();
      await hands.press(page.getByRole('button', { name: 'Line 8' }));
      // The cursor is before the unknown word.
      for (let letter = 0; letter < 'min_ap'.length; letter++) await page.keyboard.press('ArrowRight');
      await page.keyboard.type('p');
      await page.keyboard.press('Escape');
      await page.getByText('Valid policy').waitFor();

      await hands.fill(page.getByRole('textbox', { name: 'Name' }), name);
      await hands.press(page.getByRole('button', { name: 'Back-test' }));
      await page.getByRole('heading', { name: `Back-test ${name}`, level: 1 }).waitFor();
      await hands.choose(page.getByRole('combobox', { name: /Environments/ }), 'Some environments');
      await hands.press(page.getByRole('checkbox', { name: 'production', exact: true }));
      await hands.choose(page.getByRole('combobox', { name: /Period/ }), 'Last 30 days');
      await hands.press(page.getByRole('button', { name: 'Run back-test' }));

      const result = await apiOf(org.keys.bea).call(simulatePolicy, {
        params: { org: org.name },
        body: {
          policy_yaml: `${POLICY_EXAMPLE}${REVIEWED_TWICE}`,
          environments: ['production'],
          from_timestamp: Math.floor(Date.now() / 1000) - 30 * DAY,
        },
      });
      const red = result.flips.filter(({ to }) => to === 'non-compliant');
      expect(red.length).toBeGreaterThan(3);
      await page.getByRole('heading', { name: new RegExp(`^${red.length} verdicts would fail`) }).waitFor();
      const unreviewed = red.find(({ artifact }) => artifact.name.startsWith('ghcr.io/acme/'));
      const release = Object.values(org.releases)
        .flat()
        .find(({ fingerprint }) => fingerprint === unreviewed?.artifact.fingerprint);
      expect(release?.approvers).toHaveLength(1);
      await hands.choose(
        panel(page, 'Verdicts that would change').getByRole('combobox', { name: /Show/ }),
        'Would fail',
      );
      const causes = panel(page, 'Verdicts that would change').getByRole('button', { expanded: true });
      await causes.filter({ hasText: 'with 2 approvals by people who did not write it: failing' }).waitFor();
      const flips = panel(page, 'Verdicts that would change').getByRole('listitem');
      const flip = flips.filter({ has: page.getByRole('link', { name: unreviewed?.artifact.name ?? '' }) }).first();
      await flip.getByText(unreviewed?.reasons[0]?.message ?? '').waitFor();
      await flip.getByRole('link', { name: `${release?.service}, trail ${release?.trail}` }).waitFor();

      await hands.press(page.getByRole('button', { name: 'Save as new version' }));
      const dialog = page.getByRole('dialog', { name: `Save version 1 of ${name}` });
      await dialog.getByText('It has no effect until it is attached to an environment.').waitFor();
      await hands.fill(dialog.getByRole('textbox', { name: 'Change note' }), 'Two people look at each change');
      await hands.press(dialog.getByRole('button', { name: 'Save version 1' }));
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByRole('row', { name: /Two people look at each change/ }).waitFor();
      const saved = await apiOf(org.keys.carl).call(getPolicy, { params: { org: org.name, name } });
      expect(saved.versions.map(({ policy_yaml, created_by }) => [policy_yaml, created_by])).toEqual([
        [`${POLICY_EXAMPLE}${REVIEWED_TWICE}`, org.people.bea.login],
      ]);
      expect(saved.consuming_envs).toEqual([]);

      await hands.press(page.getByRole('button', { name: 'Attach policy' }));
      const attach = page.getByRole('dialog', { name: `Attach ${name}` });
      await hands.press(attach.getByRole('checkbox', { name: 'eu-production', exact: true }));
      await hands.press(attach.getByRole('button', { name: 'Attach policy' }));
      await page.getByText(`${name} attached to eu-production`).waitFor();
      const effect = panel(page, 'Attachments and failing artifacts').getByRole('listitem');
      await effect.getByRole('link', { name: 'eu-production', exact: true }).waitFor();
      const attached = await apiOf(org.keys.carl).call(getPolicy, { params: { org: org.name, name } });
      expect(attached.consuming_envs).toEqual(['eu-production']);
      // The page requests names that do not exist yet, and browsers log each 404.
      expect(troubles.filter((text) => !text.includes('404'))).toEqual([]);
    },
  );

  journey('a user compares two versions of a policy, and sees what fails it', async () => {
    const { page, troubles } = await stage.open('carl');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Policies'));
    await hands.press(page.getByRole('link', { name: 'prod-release' }));
    const effect = panel(page, 'Attachments and failing artifacts').getByRole('listitem');
    await effect.getByRole('link', { name: org.violation.release.image }).waitFor();

    await hands.press(page.getByRole('button', { name: 'Compare version 3 with 2' }));
    const second = panel(page, 'From version 2 to 3');
    await second.getByText('2 lines added, 1 removed').waitFor();
    await hands.press(second.getByText('As a table'));
    const added = second
      .getByRole('group')
      .getByRole('table')
      .getByRole('row', { name: /^added/ });
    await added.filter({ hasText: 'for_control: SDLC-CTRL-02' }).waitFor();

    await hands.choose(second.getByRole('combobox', { name: /Compare version/ }), 'Version 1');
    const first = panel(page, 'From version 1 to 3');
    await first.getByText('4 lines added, 1 removed').waitFor();
    await first
      .getByRole('group')
      .getByRole('table')
      .getByRole('row', { name: /^removed/ })
      .getByText('# Require an approved pull request')
      .waitFor();
    expect(new URL(page.url()).search).toBe('?version=3&compare=1');
    expect(troubles).toEqual([]);
  });

  journey('a reader can back-test a policy, and sees why it cannot be saved or attached', async () => {
    const { page, troubles } = await stage.open('carl');
    const hands = handsOf(page);
    const before = await apiOf(org.keys.carl).call(getPolicy, { params: { org: org.name, name: 'baseline' } });
    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Policies'));
    expect(await page.getByRole('button', { name: 'Create policy' }).isDisabled()).toBe(true);
    const reason = page.getByText('Requires the member role');
    await reason.waitFor();
    expect((await reason.boundingBox())?.width).toBeLessThanOrEqual(1);
    await page.getByRole('button', { name: 'Create policy' }).focus();
    await expect.poll(async () => (await reason.boundingBox())?.width).toBeGreaterThan(50);
    await hands.press(page.getByRole('link', { name: 'baseline' }));
    await page.getByRole('link', { name: 'Back-test' }).waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).isDisabled()).toBe(true);
    await hands.press(page.getByRole('link', { name: 'Back-test' }));

    await writeLastLine(page, hands, "    - { name: sbom, type: sbom, if: '${{ exists(flow) }}' }");
    await page.getByText('Valid policy').waitFor();
    const save = page.getByRole('button', { name: 'Save as new version' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByText('Requires the member role').waitFor();
    await hands.choose(page.getByRole('combobox', { name: /Period/ }), 'Last 7 days');
    await hands.press(page.getByRole('button', { name: 'Run back-test' }));
    await page.getByRole('heading', { name: /verdicts? would/ }).waitFor();
    await page.getByRole('table', { name: 'Failing snapshots by environment' }).waitFor();

    await hands.press(panel(page, 'By environment').getByRole('link', { name: 'staging' }));
    await hands.press(part(page, 'Policies'));
    const attached = panel(page, 'Attached policies');
    expect(await attached.getByRole('button', { name: /^Attach/ }).isDisabled()).toBe(true);
    await attached.getByText('Requires the member role').first().waitFor();
    const after = await apiOf(org.keys.carl).call(getPolicy, { params: { org: org.name, name: 'baseline' } });
    expect(after).toEqual(before);
    expect(troubles).toEqual([]);
  });

  journey('an admin creates a control, edits it, finds the decisions on it, archives it and restores it', async () => {
    const { page, troubles } = await stage.open('ada');
    const hands = handsOf(page);
    const identifier = `OPS-${hands.name}`;
    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Controls'));
    await hands.press(page.getByRole('button', { name: 'Create control' }));
    const form = page.getByRole('dialog', { name: 'Create control' });
    await hands.fill(form.getByRole('textbox', { name: 'Identifier' }), identifier);
    await hands.fill(form.getByRole('textbox', { name: 'Name' }), 'Load is tested');
    await hands.fill(form.getByRole('textbox', { name: 'Links' }), 'Runbook https//nowhere');
    await hands.press(form.getByRole('button', { name: 'Create control' }));
    await form.getByText('Runbook https//nowhere is not a valid link').waitFor();
    await hands.fill(form.getByRole('textbox', { name: 'Links' }), 'Runbook: https://example.com/load');
    await hands.press(form.getByRole('button', { name: 'Create control' }));
    await page.getByRole('heading', { name: `${identifier}: Load is tested`, level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Runbook' }).waitFor();

    await hands.press(page.getByRole('button', { name: 'Edit', exact: true }));
    const edit = page.getByRole('dialog', { name: `Edit ${identifier}` });
    await hands.fill(edit.getByRole('textbox', { name: 'Description' }), 'Before each release, at twice the load.');
    await hands.press(edit.getByRole('button', { name: 'Save as new version' }));
    await page.getByText(`${identifier} is now version 2`).waitFor();
    await hands.press(part(page, 'Versions'));
    await page.getByRole('row', { name: /Before each release, at twice the load/ }).waitFor();
    const { versions } = await apiOf(org.keys.carl).call(listControlVersions, {
      params: { org: org.name, identifier },
      query: {},
    });
    expect(versions.map(({ version, description }) => [version, description]).sort()).toEqual([
      [1, ''],
      [2, 'Before each release, at twice the load.'],
    ]);

    const decided = [org.releases.checkout.at(-1), org.releases.search.at(-1)];
    for (const release of decided)
      await apiOf(org.keys.ci).call(attestDecision, {
        params: { org: org.name, flow_name: release?.service ?? '', trail_name: release?.trail ?? '' },
        body: {
          attestation_name: `load-${hands.name}`,
          control: identifier,
          description: `Tested at twice the load of ${release?.service}`,
          attestation_data: { is_compliant: true },
        },
      });
    await hands.press(part(page, 'Decisions'));
    await page.getByText('2 decisions').waitFor();
    await hands.fill(page.getByRole('combobox', { name: 'Flow' }), 'search');
    await page.getByText('1 decision', { exact: true }).waitFor();
    await page.getByRole('row', { name: /Tested at twice the load of search/ }).waitFor();
    await hands.press(part(page, 'Coverage'));
    await page.getByText(/Required in 0 of \d+ environments \(0%\)/).waitFor();

    await hands.press(page.getByRole('button', { name: 'Archive', exact: true }));
    const asked = page.getByRole('dialog', { name: `Archive ${identifier}` });
    await hands.press(asked.getByRole('button', { name: 'Archive', exact: true }));
    await page.getByText('archived', { exact: true }).waitFor();
    await hands.press(page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Controls' }));
    await page.getByRole('link', { name: 'SDLC-CTRL-02' }).waitFor();
    await page.getByRole('link', { name: identifier }).waitFor({ state: 'detached' });
    await hands.press(page.getByRole('checkbox', { name: 'Archived only' }));
    await hands.press(page.getByRole('link', { name: identifier }));
    await hands.press(page.getByRole('button', { name: 'Unarchive' }));
    await page.getByText(`${identifier} unarchived`).waitFor();
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
    const control = await apiOf(org.keys.carl).call(getControl, { params: { org: org.name, identifier } });
    expect(control).toMatchObject({ archived: false, name: 'Load is tested' });
    expect(troubles).toEqual([]);
  });

  journey(
    'an auditor finds every decision of a flow on a control, the negative one, and where it is required',
    async () => {
      const { page, troubles } = await stage.open('carl');
      const hands = handsOf(page);
      const { checkout } = org.releases;
      await page.goto(`/${org.name}`);
      await hands.press(door(page, 'Controls'));
      await hands.press(page.getByRole('link', { name: 'SDLC-CTRL-02' }));
      await hands.press(part(page, 'Decisions'));
      await hands.fill(page.getByRole('combobox', { name: 'Flow' }), 'checkout');
      await page.getByText(`${checkout.length} decisions`, { exact: true }).waitFor();
      await hands.choose(page.getByRole('combobox', { name: /Verdict/ }), 'Non-compliant');
      await page.getByText('1 decision', { exact: true }).waitFor();
      const row = page.getByRole('row', { name: /Not reviewed: only the author has seen the change/ });
      await row.getByRole('link', { name: org.incident.hotfix.trail }).waitFor();

      await hands.press(part(page, 'Coverage'));
      await page.getByText(/Required in 2 of \d+ environments/).waitFor();
      await hands.choose(page.getByRole('combobox', { name: /Required/ }), 'Required');
      await page.getByText('2 environments', { exact: true }).waitFor();
      const covered = page.getByRole('table', { name: /whether they require SDLC-CTRL-02/ }).getByRole('row');
      await covered
        .filter({ has: page.getByRole('link', { name: 'eu-production' }) })
        .getByRole('link', { name: 'prod-release' })
        .waitFor();
      await hands.press(part(page, 'Definition'));
      expect(await page.getByRole('button', { name: 'Archive' }).isDisabled()).toBe(true);
      await page.getByText('Requires the admin role').first().waitFor();
      expect(troubles).toEqual([]);
    },
  );
});
