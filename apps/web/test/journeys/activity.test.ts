import { createClient } from '@waymark/client';
import { countActivity, listActivity } from '@waymark/contract';
import { describe, expect } from 'vitest';
import { bothWays } from '../hands.ts';
import { arrowTo, HERE, panel, pick } from '../landmarks.ts';
import { openStage } from '../stage.ts';

const stage = await openStage();
const { org } = stage;
const carl = createClient({ baseUrl: `${stage.url}/api/v2`, apiKey: org.keys.carl });
const params = { org: org.name };

describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey('the activity of a person in a period is counted as a whole, and narrowed to a day', async () => {
    const { page, troubles } = await stage.open('carl', HERE);
    const hands = handsOf(page);
    await page.goto(`/${org.name}/audit/activity`);
    const chart = panel(page, 'Entries by day');
    await chart.getByRole('img', { name: /entries in 30 days/ }).waitFor();
    const { total } = await carl.call(countActivity, { params, query: {} });
    expect(total).toBeGreaterThan(50);

    await pick(page, hands, page.getByRole('combobox', { name: 'Actor' }), org.people.bea.login);
    await page.waitForURL(({ searchParams }) => searchParams.get('actor') === org.people.bea.login);
    await hands.choose(page.getByRole('combobox', { name: 'Period' }), 'Last 90 days');
    const weeks = panel(page, 'Entries by week');
    const from = Date.parse(`${new URL(page.url()).searchParams.get('from')}T00:00:00Z`) / 1000;
    const counted = await carl.call(countActivity, {
      params,
      query: { actor: org.people.bea.login, from, interval: 'week' },
    });
    expect(counted.total).toBeGreaterThan(0);
    await weeks
      .getByText(counted.total === 1 ? '1 entry.' : `${counted.total.toLocaleString('en')} entries.`)
      .waitFor();

    const busiest = counted.buckets.find(({ entries }) => entries > 0);
    await hands.press(weeks.getByText('As a table'));
    const row = weeks.getByRole('row').filter({ has: page.getByRole('cell', { name: String(busiest?.entries) }) });
    await hands.press(row.getByRole('button').last());
    await panel(page, 'Entries by day').waitFor();
    const [first, last] = ['from', 'to'].map((name) => new URL(page.url()).searchParams.get(name));
    const { data } = await carl.call(listActivity, {
      params,
      query: {
        actor: org.people.bea.login,
        from: Date.parse(`${first}T00:00:00Z`) / 1000,
        to: Date.parse(`${last}T23:59:59Z`) / 1000,
        per_page: 50,
      },
    });
    const rows = page.getByRole('table', { name: 'Activity, newest first' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(data.length);
    for (const link of await rows.getByRole('link').allTextContents())
      expect(link.startsWith(org.people.bea.login)).toBe(false);
    expect(troubles).toEqual([]);
  });

  journey('the palette creates what the role permits, and closing the dialog does not go back to it', async () => {
    const { page, troubles } = await stage.open('bea', HERE);
    const hands = handsOf(page);
    const type = async (text: string) => {
      if (hands.name === 'keyboard') await page.keyboard.press('Control+k');
      else await page.getByRole('button', { name: /^Search or jump to/ }).click();
      const palette = page.getByRole('dialog', { name: 'Search or jump to' });
      await palette.getByRole('combobox').waitFor();
      await page.keyboard.type(text);
      return palette;
    };
    await page.goto(`/${org.name}/environments/staging`);
    await page.getByRole('heading', { name: 'staging', level: 1 }).waitFor();
    const palette = await type('invite');
    await palette.getByText(/Where is invite\?/).waitFor();
    expect(await palette.getByRole('option', { name: 'Invite member' }).count()).toBe(0);
    await page.keyboard.press('Escape');

    const again = await type('attach');
    await again.getByRole('option', { name: 'Attach policy to staging' }).waitFor();
    if (hands.name === 'mouse') await again.getByRole('option', { name: 'Attach policy to staging' }).click();
    else await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Attach policy to staging' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForURL(({ search, pathname }) => search === '' && pathname.endsWith('/staging/policies'));

    const third = await type('create flow');
    await third.getByRole('option', { name: 'Create flow', exact: true }).waitFor();
    if (hands.name === 'mouse') await third.getByRole('option', { name: 'Create flow', exact: true }).click();
    else await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create flow' }).waitFor();
    expect(troubles).toEqual([]);
  });

  journey('the palette signs out', async () => {
    const { page } = await stage.open('carl', HERE);
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search or jump to' });
    await palette.getByRole('combobox').waitFor();
    await page.keyboard.type('sign out');
    const option = palette.getByRole('option', { name: 'Sign out' });
    await option.waitFor();
    if (hands.name === 'mouse') await option.click();
    else {
      await arrowTo(page, option);
      await page.keyboard.press('Enter');
    }
    await page.waitForURL('**/sign-in**');
  });
});
