import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Release } from '../../../../tools/demo/release-plan.ts';
import { CONTROLS } from '../../../../tools/demo/shop.ts';
import { bothWays, type Hands } from '../hands.ts';
import { pick } from '../landmarks.ts';
import { settle } from '../settle.ts';
import { openStage } from '../stage.ts';

const stage = await openStage();
const { org } = stage;
const { violation, incident } = org;
const PATIENCE = { timeout: 180_000 };

function drawer(page: Page, name: string): Locator {
  return page.getByRole('dialog', { name, exact: true });
}

function idIn(page: Page): string | null {
  return new URL(page.url()).searchParams.get('attestation_id');
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element.matches(':focus'));
}

/** Goes from any page to one release of a flow, by the full commit. Keyboard users use the shortcuts. */
async function openTrail(page: Page, hands: Hands, { service, commit, trail }: Release): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (hands.name === 'mouse') await page.getByRole('navigation', { name: 'Main' }).getByText('Flows').click();
  else for (const key of 'gf') await page.keyboard.press(key);
  await hands.press(page.getByRole('link', { name: service, exact: true }));
  await page.getByRole('heading', { level: 1, name: service }).waitFor();
  const box = page.getByLabel('Filter by commit or fingerprint');
  await box.waitFor();
  if (hands.name === 'keyboard') await page.keyboard.press('/');
  await hands.fill(box, commit);
  const trails = page.getByRole('table', { name: 'Trails, newest first' });
  await expect.poll(() => trails.getByRole('row').count(), PATIENCE).toBe(2);
  await hands.press(trails.getByRole('link', { name: trail, exact: true }));
  await page.getByRole('heading', { level: 1, name: trail }).waitFor();
}

describe.each(bothWays)('%s', (way, handsOf, journey) => {
  journey('from the flows to a trail, its tests and the next evidence, and back to the same place', async () => {
    const { release } = violation;
    const { page, troubles } = await stage.open('bea');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await hands.press(page.getByRole('link', { name: 'Flows', exact: true }));
    await hands.press(page.getByRole('link', { name: release.service, exact: true }));
    const trails = page.getByRole('table', { name: 'Trails, newest first' });
    await hands.press(trails.getByRole('link', { name: release.trail, exact: true }));
    await page.getByRole('heading', { level: 1, name: release.trail }).waitFor();
    await settle(page);
    const place = page.url();

    const asked = page.getByRole('region', { name: 'Required evidence' });
    const opener = asked.getByRole('link', { name: 'unit-tests', exact: true });
    await hands.press(opener);
    const tests = drawer(page, 'unit-tests');
    await tests.getByRole('heading', { name: '24 tests' }).waitFor();
    expect((await tests.getByRole('table', { name: 'Suites' }).getByRole('row').allTextContents()).slice(1)).toEqual([
      expect.stringMatching(/^cards8000/),
      expect.stringMatching(/^refunds8000/),
      expect.stringMatching(/^ledger8000/),
    ]);
    const id = idIn(page);
    expect(id).not.toBeNull();

    const leafing = tests.getByRole('navigation', { name: 'Attestations of this trail' });
    const [, at, all] = /(\d+) of (\d+), by arrival/.exec((await leafing.textContent()) ?? '') ?? [];
    const isLast = at === all;
    await hands.press(page.getByRole('button', { name: isLast ? 'Previous' : 'Next' }));
    await page.getByText(`${Number(at) + (isLast ? -1 : 1)} of ${all}, by arrival`).waitFor();
    await tests.waitFor({ state: 'detached' });
    expect(idIn(page)).not.toBe(id);

    await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Close' }));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.url(), PATIENCE).toBe(place);
    await expect.poll(() => isFocused(opener), PATIENCE).toBe(true);

    await hands.press(opener);
    await tests.getByRole('heading', { name: '24 tests' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url(), PATIENCE).toBe(place);
    await expect.poll(() => isFocused(opener), PATIENCE).toBe(true);
    await page.goBack();
    await settle(page);
    expect(idIn(page)).toBeNull();
    expect(troubles).toEqual([]);
  });

  journey('who approved a release, and that nobody did when it was urgent', async () => {
    const { hotfix, repaired } = incident;
    const { page, troubles } = await stage.open('carl');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await openTrail(page, hands, hotfix);
    const asked = page.getByRole('region', { name: 'Required evidence' });
    const review = asked.getByRole('listitem').filter({ hasText: 'review' });
    await review.getByText('Fails').waitFor();
    await hands.press(asked.getByRole('link', { name: 'pull-request', exact: true }));
    const request = drawer(page, 'pull-request');
    await request.getByText('No one approved it.').waitFor();
    await request.getByText('No approval').waitFor();
    expect(await request.getByRole('definition').allTextContents()).toEqual(
      expect.arrayContaining(['none', hotfix.author.username]),
    );
    await page.keyboard.press('Escape');
    await request.waitFor({ state: 'detached' });
    await hands.press(asked.getByRole('link', { name: 'review', exact: true }));
    await drawer(page, 'review').getByText('Not reviewed: only the author has seen the change').first().waitFor();
    await page.keyboard.press('Escape');

    await openTrail(page, hands, repaired);
    await hands.press(asked.getByRole('link', { name: 'pull-request', exact: true }));
    const approvers = repaired.approvers.map(({ username }) => username).join(' and ');
    await request
      .getByText(`${approvers} approved it and did not write any of it; it was written by ${repaired.author.username}`)
      .waitFor();
    await request.getByText('Approved by someone other than the author').waitFor();
    expect(troubles).toEqual([]);
  });

  journey('the explanation of an artifact is read, and copied as Markdown', async () => {
    const { release } = violation;
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, troubles } = await stage.open('bea', { permissions });
    const hands = handsOf(page);
    await page.goto(`/${org.name}/artifacts/${release.fingerprint.slice(0, 9)}`);
    await page.getByRole('heading', { level: 1, name: release.image }).waitFor();
    await hands.press(page.getByRole('link', { name: 'Why?', exact: true }).first());
    await page.getByRole('heading', { level: 1, name: `Why ${release.image}?` }).waitFor();

    const box = page.getByRole('combobox', { name: 'Evaluate by the policies of' });
    await pick(page, hands, box, 'production');
    await page.getByRole('heading', { level: 1, name: `Why ${release.image} in production?` }).waitFor();
    const tree = page.getByRole('treegrid', { name: `Why ${release.image} in production is non-compliant` });
    await tree.getByText('Policy prod-release, version 3').waitFor();
    const because = tree.getByText(/2 errors/).first();
    await because.waitFor();
    await hands.press(page.getByRole('button', { name: 'Collapse all', exact: true }));
    await because.waitFor({ state: 'detached' });
    await hands.press(page.getByRole('button', { name: 'Expand all' }));
    await because.waitFor();

    await hands.press(page.getByRole('button', { name: 'Copy as Markdown' }));
    await page.getByRole('button', { name: 'Copied as Markdown' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain(`### ✕ ${release.image} in production is non-compliant`);
    expect(copied).toMatch(/- ✕ Policy prod-release, version 3\n.* {2}- ✕ A compliant attestation named 'sast'/s);
    expect(copied).toMatch(/ {4}- because: In flow 'payments', trail /);
    expect(copied).toContain('**To fix:**');
    expect(copied).toContain(page.url());
    expect(troubles).toEqual([]);
  });

  journey('an auditor downloads the package of a trail, and its printed report', async () => {
    const { hotfix } = incident;
    const { page, troubles } = await stage.open('carl');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await openTrail(page, hands, hotfix);
    const saved = async (name: string) => {
      const coming = page.waitForEvent('download');
      await hands.press(page.getByRole('link', { name, exact: true }));
      const download = await coming;
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
    };
    const box = await saved('Audit package');
    expect(box.name).toBe(`trail-checkout-${hotfix.trail}.tgz`);
    expect(gunzipSync(box.bytes).toString('latin1')).toContain(hotfix.fingerprint);

    const report = await saved('Report as PDF');
    expect(report.name).toBe(`trail-checkout-${hotfix.trail}.pdf`);
    expect(report.bytes.subarray(0, 5).toString()).toBe('%PDF-');

    await hands.press(page.getByRole('link', { name: 'Report', exact: true }));
    await page.waitForURL(/\/api\/v2\/trails\/.*\/report$/);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText(hotfix.trail).first().waitFor();
    await page.getByText(hotfix.fingerprint).first().waitFor();
    await page.getByText(`Control ${CONTROLS.secondPerson} was decided as not satisfied`).first().waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: hotfix.trail }).waitFor();
    expect(troubles).toEqual([]);
  });

  journey('a flow is created, and a mistake in its template is shown at its line', async () => {
    const name = `basket-${way.split(' ').at(2) ?? 'way'}`;
    const { page, troubles } = await stage.open('bea');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await hands.press(page.getByRole('link', { name: 'Flows', exact: true }));
    await hands.press(page.getByRole('button', { name: 'Create flow' }));
    const dialog = drawer(page, 'Create flow');
    await hands.fill(dialog.getByLabel('Name'), name);
    await hands.fill(dialog.getByLabel('Description'), 'Keeps what is in the basket');
    const template = dialog.getByLabel('Template (evidence required of every trail)');
    await hands.fill(template, templateWith('attestation'));
    await hands.press(dialog.getByRole('button', { name: 'Create flow' }));
    const place = dialog.getByRole('button', { name: 'Line 5, column 7' });
    await place.waitFor();
    await dialog
      .getByText(/attestation/)
      .last()
      .waitFor();
    await hands.press(place);
    expect(await isFocused(template)).toBe(true);

    await hands.fill(template, templateWith('attestations'));
    await hands.press(dialog.getByRole('button', { name: 'Create flow' }));
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText(`Flow ‘${name}’ created`).waitFor();

    await hands.press(page.getByRole('link', { name: 'Flows', exact: true }).first());
    await hands.press(page.getByRole('button', { name: 'Create flow' }));
    await hands.fill(dialog.getByLabel('Name'), name);
    await hands.press(dialog.getByRole('button', { name: 'Create flow' }));
    await dialog.getByText(`Flow ‘${name}’ already exists. Choose another name.`).waitFor();
    await page.keyboard.press('Escape');
    await hands.press(page.getByRole('link', { name, exact: true }));
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const made = await page.request.get(`/api/v2/flows/${org.name}/${name}`);
    expect(await made.json()).toMatchObject({ name, template: templateWith('attestations') });

    await hands.press(page.getByRole('link', { name: 'Template', exact: true }));
    await hands.press(page.getByRole('button', { name: 'Edit', exact: true }));
    const editing = drawer(page, `Template of ${name}`);
    await hands.fill(editing.getByLabel('Template'), `${templateWith('attestations')}  nonsense: 1\n`);
    await hands.press(editing.getByRole('button', { name: 'Save template' }));
    await editing.getByRole('button', { name: /^Line 8, column \d+$/ }).waitFor();
    await page.keyboard.press('Escape');
    await editing.waitFor({ state: 'detached' });

    const second = await stage.open('carl');
    await second.page.goto(page.url());
    await second.page.getByRole('row', { name: '5 attestations:' }).waitFor();
    expect(await second.page.getByRole('button', { name: 'Edit', exact: true }).isDisabled()).toBe(true);
    expect([...troubles, ...second.troubles].filter((text) => !/ 422 | 400 | 404 /.test(text))).toEqual([]);
  });

  journey('a reader sees which role a change takes', async () => {
    const { page, troubles } = await stage.open('carl');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await hands.press(page.getByRole('link', { name: 'Flows', exact: true }));
    await page.getByText('Requires the member role').waitFor();
    expect(await page.getByRole('button', { name: 'Create flow' }).isDisabled()).toBe(true);
    await hands.press(page.getByRole('link', { name: 'web', exact: true }));
    await hands.press(page.getByRole('link', { name: 'Template', exact: true }));
    const lines = page.getByRole('table', { name: 'Template, line by line' });
    await lines.getByRole('row', { name: /unit-tests/ }).waitFor();
    await page.getByText('Requires the member role').waitFor();
    expect(await page.getByRole('button', { name: 'Edit', exact: true }).isDisabled()).toBe(true);
    expect(troubles).toEqual([]);
  });
});

function templateWith(key: string): string {
  return [
    'version: 1',
    'trail:',
    '  artifacts:',
    '    - name: basket',
    `      ${key}:`,
    '        - name: unit-tests',
    '          type: junit',
    '',
  ].join('\n');
}
