import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { readCsv } from '../../../server/test/model/read-csv.ts';
import { bothWays } from '../hands.ts';
import { HERE, panel } from '../landmarks.ts';
import { settle } from '../settle.ts';
import { openStage } from '../stage.ts';

const stage = await openStage();
const { org } = stage;

async function downloaded(page: Page, press: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download]: [Download, unknown] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey('a team lead lists what the team owns, and exports exactly that', async () => {
    const { page, troubles } = await stage.open('carl', HERE);
    const hands = handsOf(page);
    await page.goto(`/${org.name}/flows`);
    await settle(page);
    await hands.fill(page.getByRole('searchbox', { name: 'Filter by tag' }), 'risk:high');
    await page.waitForURL(/tag=risk%3Ahigh/);
    await settle(page);
    await hands.press(page.getByRole('button', { name: 'Name', exact: true }));
    await page.waitForURL(/direction=desc/);
    await settle(page);
    const rows = page.getByRole('table', { name: 'Flows' }).locator('tbody tr');
    const names = await rows.evaluateAll((all) => all.map((row) => row.querySelector('a')?.textContent ?? ''));
    expect(names.length).toBeGreaterThan(0);
    const csv = await downloaded(page, () => hands.press(page.getByRole('button', { name: 'Export CSV' })));
    expect(csv.name).toBe(`flows-${org.name}.csv`);
    const [header = [], ...lines] = readCsv(csv.text);
    expect(lines.map((line) => line[header.indexOf('name')])).toEqual(names);
    const json = await downloaded(page, () => hands.press(page.getByRole('button', { name: 'Export JSON' })));
    expect((JSON.parse(json.text) as { name: string }[]).map(({ name }) => name)).toEqual(names);

    await hands.press(page.getByRole('button', { name: 'Clear filters' }));
    await page.waitForURL((url) => !url.searchParams.has('tag'));
    await settle(page);
    expect(await rows.count()).toBeGreaterThan(names.length);
    expect(troubles).toEqual([]);
  });

  journey('an engineer hides a column, which stays hidden in that org', async () => {
    const { page, troubles } = await stage.open('bea', HERE);
    const hands = handsOf(page);
    await page.goto(`/${org.name}/environments`);
    await settle(page);
    const header = page.getByRole('columnheader', { name: 'Policies' });
    await header.waitFor();
    await hands.press(page.getByText('Columns', { exact: true }).first());
    const box = page.getByRole('group', { name: 'Columns' }).getByLabel('Policies');
    await hands.press(box);
    await header.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
    await page.reload();
    await settle(page);
    expect(await header.count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'State' }).count()).toBe(1);
    await hands.press(page.getByText('Columns', { exact: true }).first());
    await hands.press(box);
    await header.waitFor();
    expect(troubles).toEqual([]);
  });

  journey('an engineer finds the trail of a commit by its first six digits, and by its branch', async () => {
    const { service, commit, trail } = org.violation.release;
    const { page, troubles } = await stage.open('bea', HERE);
    const hands = handsOf(page);
    await page.goto(`/${org.name}/flows/${service}`);
    await settle(page);
    const digits = page.getByRole('searchbox', { name: 'Filter by commit or fingerprint' });
    await hands.fill(digits, commit.slice(0, 5));
    await page.getByText('Enter at least 6 digits of a commit').waitFor();
    await hands.fill(digits, commit.slice(0, 6));
    await panel(page, 'Trails').getByRole('link', { name: trail, exact: true }).waitFor();
    const csv = await downloaded(page, () =>
      hands.press(panel(page, 'Trails').getByRole('button', { name: 'Export CSV' })),
    );
    expect(readCsv(csv.text).map(([name]) => name)).toEqual(['name', trail]);
    await hands.fill(page.getByRole('searchbox', { name: 'Filter by branch' }), 'no-such-branch');
    await page.getByText('No trails of this flow match these filters').waitFor();
    await hands.press(page.getByRole('button', { name: 'Clear filters' }));
    await page.waitForURL((url) => url.search === '');
    await settle(page);
    expect(troubles).toEqual([]);
  });
});
