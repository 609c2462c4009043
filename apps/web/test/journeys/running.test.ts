import { createClient } from '@waymark/client';
import { attachPolicies, getTimeline, listSnapshots, putEnvironment, reportDocker } from '@waymark/contract';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { MINUTE, plus, secondsOf, storyTimes } from '../../../../tools/demo/moments.ts';
import type { Place } from '../../../../tools/demo/shop.ts';
import { absolute, dayOf, toTheMinute } from '../../src/lib/time.ts';
import { bothWays, type Hands } from '../hands.ts';
import { arrowTo, door, HERE, panel, part, pick } from '../landmarks.ts';
import { settle } from '../settle.ts';
import { openStage } from '../stage.ts';

const stage = await openStage();
const { org } = stage;
const SOON = { timeout: 180_000 };
const { batchWentStale } = storyTimes(org.now);

const apiOf = (apiKey: string) => createClient({ baseUrl: `${stage.url}/api/v2`, apiKey });
const exact = (at: Date) => absolute(secondsOf(at), 'utc');
const shown = (at: Date) => toTheMinute(secondsOf(at), 'utc');
const needs = (page: Page, word: string, about: string) =>
  panel(page, 'Needs attention').getByRole('listitem').filter({ hasText: word }).filter({ hasText: about });
const texts = (rows: Locator) => rows.evaluateAll((all) => all.map(({ textContent }) => textContent));

/** The number of artifacts in the last report of an environment, by name. */
function runningIn(place: Place): number {
  const names = org.lastReports[place]?.artifacts.flatMap(({ digests }) => Object.keys(digests));
  return new Set(names).size;
}

/** Goes to a day of the heat map: its days are one tab stop, and arrow keys move between them. */
async function openDay(page: Page, hands: Hands, day: RegExp): Promise<void> {
  const grid = page.getByRole('grid', { name: /^Compliance of environments by day/ });
  const days = grid.getByRole('gridcell').getByRole('link');
  const wanted = grid.getByRole('link', { name: day });
  await wanted.waitFor();
  if (hands.name === 'mouse') return wanted.click();
  const labels = await days.evaluateAll((all) => all.map((link) => link.getAttribute('aria-label') ?? ''));
  const columns = (await grid.getByRole('columnheader').count()) - 1;
  const place = labels.findIndex((label) => day.test(label));
  await hands.enter(days.nth(columns - 1));
  for (let row = Math.floor(place / columns); row > 0; row--) await page.keyboard.press('ArrowDown');
  for (let column = columns - 1; column > place % columns; column--) await page.keyboard.press('ArrowLeft');
  expect(await wanted.evaluate((link) => link.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
}

/** Moves the playhead to a time between two, by dragging or with the arrow keys. */
async function movePlayhead(page: Page, hands: Hands, earliest: Date, latest: Date): Promise<void> {
  const playhead = page.getByRole('slider', { name: 'Playhead' });
  const at = async () => Number(await playhead.getAttribute('aria-valuenow'));
  const isThere = (time: number) => time >= secondsOf(earliest) && time < secondsOf(latest);
  if (hands.name === 'keyboard') {
    await hands.enter(playhead);
    while ((await at()) >= secondsOf(latest)) await page.keyboard.press('ArrowLeft');
    if (!isThere(await at())) await page.keyboard.press(']');
    return;
  }
  const box = await playhead.boundingBox();
  if (!box) throw new Error('the playhead cannot be seen');
  const [x, y, from] = [box.x + box.width / 2, box.y + box.height / 2, await at()];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 100, y);
  const perPixel = (from - (await at())) / 100;
  const end = Math.min(secondsOf(latest), Number(await playhead.getAttribute('aria-valuemax')));
  const middle = (secondsOf(earliest) + end) / 2;
  await page.mouse.move(x - (from - middle) / perPixel, y, { steps: 5 });
  expect(await at()).toSatisfy(isThere);
  await page.mouse.up();
}

describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey('an SRE finds why production is red, since when, and what is different from yesterday', async () => {
    const { page, troubles } = await stage.open('ada', HERE);
    const hands = handsOf(page);
    const { release, at } = org.violation;
    const count = runningIn('production');
    await page.goto(`/${org.name}`);
    const red = needs(page, 'Non-compliant', 'production');
    await red.getByText(`1 of ${count} artifacts is not compliant: '${release.image}'.`).waitFor();
    await red.getByTitle(exact(at)).waitFor();
    await red.getByText(`report 'sast' again in trail '${release.trail}' of flow 'payments'`).waitFor();

    await hands.press(red.getByRole('link', { name: 'Why?' }));
    const why = panel(page, 'Why production is non-compliant');
    await why.getByText(`Became non-compliant ${shown(at)}`).waitFor();
    const tree = why.getByRole('treegrid');
    await tree
      .getByText(/2 errors, 1 warning/)
      .first()
      .waitFor();
    await tree.getByRole('row', { name: /^Non-compliant: Policy prod-release, version 3/ }).waitFor();

    await hands.press(part(page, 'Now'));
    await page.getByRole('button', { name: '1 non-compliant' }).waitFor();
    await hands.press(page.getByRole('link', { name: 'Compare with yesterday' }));
    await page.getByRole('heading', { name: 'production: 1 day ago compared with now', level: 1 }).waitFor();
    await page.getByText(`1 changed, 0 added, 0 removed, ${count - 1} unchanged.`).waitFor();
    const before = org.releases.payments.findLast(({ starts }) => starts.production && starts.production < at);
    const changed = page.getByRole('table', { name: 'Changed' });
    await changed.getByRole('row', { name: `payments ${release.version} instead of ${before?.version}` }).waitFor();
    await panel(page, /^First: production/)
      .getByText('Compliant', { exact: true })
      .waitFor();
    await panel(page, /^Second: production/)
      .getByText('Non-compliant', { exact: true })
      .waitFor();
    expect(troubles).toEqual([]);
  });

  journey('an SRE sees that batch is stale and therefore unknown, never green', async () => {
    const { page, troubles } = await stage.open('carl', HERE);
    const hands = handsOf(page);
    const green = page.getByRole('main').getByText('Compliant', { exact: true });
    await page.goto(`/${org.name}`);
    const stale = needs(page, 'Stale', 'batch');
    await stale.getByText('Its running artifacts are unknown.').waitFor();
    await stale.getByTitle(exact(batchWentStale)).waitFor();

    await hands.press(door(page, 'Environments'));
    const row = page.getByRole('table', { name: 'Environments' }).getByRole('row', { name: /^batch/ });
    await row.getByText('Unknown', { exact: true }).waitFor();
    await row.getByText(/^stale /).waitFor();
    await row.getByTitle(exact(plus(batchWentStale, 30 * MINUTE))).waitFor();
    expect(await row.getByText('Compliant', { exact: true }).count()).toBe(0);

    await hands.press(row.getByRole('link', { name: 'batch', exact: true }));
    await page.getByText('Report overdue').waitFor();
    await panel(page, 'Artifacts in the last report').getByRole('button', { name: '2 were compliant' }).waitFor();
    const artifact = page.getByRole('table', { name: 'Artifacts of batch' }).getByRole('row').nth(1);
    await artifact.getByText('Unknown', { exact: true }).waitFor();
    await artifact.getByText(/^stale /).waitFor();
    expect(await green.count()).toBe(0);
    await hands.press(part(page, 'Timeline'));
    await page.getByRole('heading', { name: /^Snapshot #/ }).waitFor();
    await page.getByRole('slider', { name: 'Playhead' }).waitFor();
    await settle(page);
    await page.getByRole('main').getByText('Unknown', { exact: true }).first().waitFor();
    await page
      .getByRole('main')
      .getByText(/^stale /)
      .first()
      .waitFor();
    expect(troubles).toEqual([]);
  });

  journey(
    'an SRE goes back to the incident, opens what ran then, and steps through the snapshots around it',
    async () => {
      const { page, troubles } = await stage.open('ada', HERE);
      const hands = handsOf(page);
      const { at, before, hotfix } = org.incident;
      const allowed = plus(at, 38 * MINUTE);
      const all = await apiOf(org.keys.carl).call(listSnapshots, {
        params: { org: org.name, env_name: 'production' },
        query: { per_page: 100 },
      });
      const { index = 0 } = all.find(({ from }) => from === secondsOf(at)) ?? {};
      const step = async (key: '[' | ']', name: string) => {
        if (hands.name === 'keyboard') await page.keyboard.press(key);
        else await page.getByRole('link', { name }).or(page.getByRole('button', { name })).click();
      };
      await page.goto(`/${org.name}`);
      await openDay(page, hands, new RegExp(`^production, ${dayOf(secondsOf(at), 'utc')}: .* non-compliant for`));
      await page.getByRole('heading', { name: 'production', level: 1 }).waitFor();
      await movePlayhead(page, hands, at, allowed);
      await page.getByRole('heading', { name: `Snapshot #${index}`, exact: true }).waitFor();
      await page.getByText(/· from .* \(38 min\)/).waitFor();
      await page.getByRole('link', { name: `checkout ${hotfix.version}`, exact: true }).waitFor();
      await step(']', 'Next snapshot');
      await page.getByRole('heading', { name: `Snapshot #${index + 1}`, exact: true }).waitFor();
      await step('[', 'Previous snapshot');
      await page.getByRole('heading', { name: `Snapshot #${index}`, exact: true }).waitFor();

      await hands.press(page.getByRole('link', { name: `Snapshot #${index}`, exact: true }));
      const head = (number: number) => page.getByRole('heading', { name: `production snapshot #${number}`, level: 1 });
      const rows = page.getByRole('table', { name: 'Artifacts of production' }).getByRole('row');
      const checkout = (image: string, verdict: string) =>
        rows.filter({ has: page.getByRole('link', { name: image, exact: true }) }).filter({ hasText: verdict });
      await head(index).waitFor();
      await page.getByText(`${shown(at)} – ${shown(allowed)} (38 min)`).waitFor();
      await checkout(hotfix.image, 'Non-compliant').waitFor();
      await step(']', 'Next');
      await head(index + 1).waitFor();
      await checkout(hotfix.image, 'Waived').getByText('Hotfix for INC-204').waitFor();
      await step('[', 'Previous');
      await head(index).waitFor();
      await step('[', 'Previous');
      await head(index - 1).waitFor();
      await checkout(before.image, 'Compliant').waitFor();
      expect(await checkout(hotfix.image, 'compliant').count()).toBe(0);
      await hands.press(page.getByRole('link', { name: 'show on timeline' }));
      await page.getByRole('heading', { name: `Snapshot #${index - 1}`, exact: true }).waitFor();
      expect(troubles).toEqual([]);
    },
  );

  journey('what runs is filtered by state and flow, and the address shows others the same', async () => {
    const { page, troubles } = await stage.open('ada', HERE);
    const hands = handsOf(page);
    const rowsOf = (of: Page) => of.getByRole('table', { name: 'Artifacts of production' }).getByRole('row');
    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Environments'));
    await page.getByRole('heading', { name: 'Environments', level: 1 }).waitFor();
    await hands.press(page.getByRole('link', { name: 'production', exact: true }));
    const good = page.getByRole('button', { name: /^\d+ compliant$/ });
    const count = Number.parseInt((await good.textContent()) ?? '', 10);
    expect(count).toBe(runningIn('production') - 2);
    await hands.press(good);
    await page.getByText(`${count} artifacts`, { exact: true }).waitFor();
    await hands.press(page.getByRole('button', { name: 'Artifact', exact: true }));
    await expect.poll(() => page.url(), SOON).toContain('sort=name');
    await settle(page);
    const shown = await texts(rowsOf(page));
    expect(shown).toHaveLength(count + 1);
    const all = page.url();

    await pick(page, hands, page.getByRole('combobox', { name: 'Flow' }), 'search');
    await page.getByText('1 artifact', { exact: true }).waitFor();
    await rowsOf(page).getByRole('link', { name: org.drift.newest.image, exact: true }).waitFor();
    const one = page.url();

    const other = await stage.open('bea', HERE);
    for (const [address, rows] of [
      [all, shown],
      [one, await texts(rowsOf(page))],
    ] as const) {
      await other.page.goto(address);
      await expect.poll(() => texts(rowsOf(other.page)), SOON).toEqual(rows);
    }
    expect(await other.page.getByRole('combobox', { name: 'Flow' }).inputValue()).toBe('search');
    await page.goBack();
    await expect.poll(() => texts(rowsOf(page)), SOON).toEqual(shown);
    expect([...troubles, ...other.troubles]).toEqual([]);
  });

  journey('a user jumps to an environment by its name and to an artifact by its digits', async () => {
    const { page, troubles } = await stage.open('bea', HERE);
    const hands = handsOf(page);
    const { behind } = org.drift;
    const jump = async (typed: string, option: RegExp) => {
      if (hands.name === 'keyboard') await page.keyboard.press('Control+k');
      else await page.getByRole('button', { name: /^Search or jump to/ }).click();
      const palette = page.getByRole('dialog', { name: 'Search or jump to' });
      await palette.getByRole('combobox').waitFor();
      await page.keyboard.type(typed);
      const found = palette.getByRole('option', { name: option });
      await found.waitFor();
      if (hands.name === 'mouse') return found.click();
      await arrowTo(page, found);
      await page.keyboard.press('Enter');
    };
    await page.goto(`/${org.name}`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await jump('eu-prod', /^eu-production/);
    await page.getByRole('heading', { name: 'eu-production', level: 1 }).waitFor();
    await page
      .getByRole('table', { name: 'Artifacts of eu-production' })
      .getByRole('link', { name: behind.image, exact: true })
      .waitFor();
    await jump(behind.fingerprint.slice(0, 9), new RegExp(`${behind.version}.*${behind.fingerprint.slice(0, 7)}`));
    await page.getByRole('heading', { name: behind.image, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/acme/flows/search/artifacts/${behind.fingerprint}`);
    await jump('batch', /^batch unknown · stale · Server/);
    await page.getByText('Report overdue').waitFor();
    expect(troubles).toEqual([]);
  });

  journey('changes by others are announced, and nothing moves until requested', async () => {
    const { page, troubles } = await stage.open('carl', HERE);
    const hands = handsOf(page);
    const name = `a-new-place-${hands.name}`;
    const ada = apiOf(org.keys.ada);
    await page.goto(`/${org.name}`);
    await page.getByRole('button', { name: 'Live: pause updates' }).waitFor();
    await hands.press(door(page, 'Environments'));
    const rows = page.getByRole('table', { name: 'Environments' }).getByRole('row');
    await rows.getByRole('link', { name: 'batch', exact: true }).waitFor();
    await settle(page);
    const before = await texts(rows);
    await ada.call(putEnvironment, { params: { org: org.name }, body: { name, type: 'docker' } });
    await page.getByText('1 change since this was loaded').waitFor();
    expect(await texts(rows)).toEqual(before);
    await hands.press(page.getByRole('button', { name: 'Show', exact: true }));
    await rows.getByRole('link', { name, exact: true }).waitFor();
    await page.getByText('1 change since this was loaded').waitFor({ state: 'detached' });

    await hands.press(page.getByRole('link', { name, exact: true }));
    await page.getByText('Waiting for the first report').waitFor();
    const fingerprint = org.violation.release.fingerprint;
    await apiOf(org.keys.reporter).call(reportDocker, {
      params: { org: org.name, env_name: name },
      body: {
        artifacts: [{ digests: { [org.violation.release.image]: fingerprint }, creationTimestamp: 1_700_000_000 }],
      },
    });
    await page.getByText(/changes? since this was loaded/).waitFor();
    expect(await page.getByText('Waiting for the first report').count()).toBe(1);
    await hands.press(page.getByRole('button', { name: 'Show', exact: true }));
    await page.getByRole('link', { name: org.violation.release.image, exact: true }).waitFor();
    await page.getByText('No policy', { exact: true }).waitFor();

    await ada.call(attachPolicies, { params: { org: org.name, env_name: name }, body: { policy_names: ['baseline'] } });
    await page.getByText(/changes? since this was loaded/).waitFor();
    expect(await page.getByText('No policy', { exact: true }).count()).toBe(1);
    await hands.press(page.getByRole('button', { name: 'Show', exact: true }));
    await page.getByText('No policy', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '1 compliant' }).waitFor();
    expect(troubles).toEqual([]);
  });

  journey('pictures and their tables have the same numbers', async () => {
    const { page, troubles } = await stage.open('carl', HERE);
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    const days = panel(page, 'Compliance in the last 30 days');
    await hands.press(days.getByText('As a table'));
    const table = days.getByRole('table', { name: 'Daily compliance by environment' });
    await table.waitFor();
    const tableRows = await table
      .getByRole('row')
      .evaluateAll((rows) => rows.slice(1).map((row) => [...row.children].map(({ textContent }) => textContent ?? '')));
    const drawn = await days
      .getByRole('grid')
      .getByRole('gridcell')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')));
    expect(drawn.length).toBeGreaterThanOrEqual(org.environments.length * 30);
    expect(drawn).toEqual(tableRows.map(describeDay));

    await hands.press(days.getByRole('link', { name: 'production', exact: true }));
    await hands.press(page.getByRole('button', { name: '30 d' }));
    const picture = page.getByRole('img', { name: /runs of \d+ services in production within 30 d/ });
    const says = (await picture.getAttribute('aria-label')) ?? '';
    const [runs = 0, services = 0] = (says.match(/\d+/g) ?? []).map(Number);
    await hands.press(page.getByText('As a table'));
    const ran = page.getByRole('table', { name: 'Runs', exact: true }).getByRole('row');
    await ran.last().waitFor();
    const listed = await ran.evaluateAll((rows) =>
      rows.slice(1).map((row) => [...row.children].map(({ textContent }) => textContent ?? '')),
    );
    expect(listed).toHaveLength(runs);
    expect(new Set(listed.map(([service]) => service)).size).toBe(services);
    const versions = new Set(listed.map(([, version]) => version));
    for (const label of (await picture.textContent())?.match(/\b\d+\.\d+\.\d+\b/g) ?? [])
      expect(versions).toContain(label);
    const from = Number(new URL(page.url()).searchParams.get('from'));
    const timeline = await apiOf(org.keys.carl).call(getTimeline, {
      params: { org: org.name, env_name: 'production' },
      query: { from, per_page: 30 },
    });
    expect(timeline.lanes.flatMap((lane) => lane.runs.map(() => lane.name))).toEqual(
      listed.map(([service]) => service),
    );
    expect(troubles).toEqual([]);
  });
});

/** The label that a day of the heat map must have, from its row in the table. */
function describeDay(row: readonly string[]): string {
  const [environment, day, share, , failing, unknown, stale, waived] = row;
  const isJudged = share !== '–';
  if (stale === '–') return `${environment}, ${day}: before the first report`;
  const parts = [
    isJudged ? `${share} compliant` : unknown === '0 s' ? 'no reports' : 'not evaluated',
    isJudged && failing !== '0 s' && `non-compliant for ${failing}`,
    isJudged && stale !== '0 s' && `stale for ${stale}`,
    waived === 'yes' && 'with a waiver',
  ];
  return `${environment}, ${day}: ${parts.filter(Boolean).join(', ')}`;
}

it('the live indicator goes off without a connection, and on again', async () => {
  const page = await (await stage.profile('carl', HERE)).newPage();
  const feed = /\/api\/v2\/events/;
  await page.route(feed, (route) => route.abort());
  await page.goto(`/${org.name}/environments`);
  await page.getByRole('button', { name: 'Not live: pause updates' }).waitFor();
  await page.unroute(feed);
  const pause = page.getByRole('button', { name: 'Live: pause updates', exact: true });
  await pause.click();
  await page.getByText('Live updates paused').waitFor();
  await page.getByRole('button', { name: 'Paused: resume updates' }).click();
  await page.getByText('Live updates resumed').waitFor();
  await pause.waitFor();
});

it('all tabs of a browser get events through one of them, and another takes over when it is closed', async () => {
  const profile = await stage.profile('ada', HERE);
  const streams: (string | null)[] = [];
  profile.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/api/v2/events'))
      void request.headerValue('last-event-id').then((id) => streams.push(id));
  });
  const ada = apiOf(org.keys.ada);
  const change = (name: string) =>
    ada.call(putEnvironment, { params: { org: org.name }, body: { name, type: 'docker' } });
  const notice = (page: Page) => page.getByText('1 change since this was loaded');
  const [first, second] = [await profile.newPage(), await profile.newPage()];
  for (const page of [first, second]) {
    await page.goto(`/${org.name}/environments`);
    await page.getByRole('button', { name: 'Live: pause updates' }).waitFor();
    await settle(page);
  }
  await change('told-to-both');
  await notice(first).waitFor();
  await notice(second).waitFor();
  expect(streams).toEqual([null]);
  await second.getByRole('button', { name: 'Show', exact: true }).click();
  await second.getByRole('link', { name: 'told-to-both' }).waitFor();

  await first.close();
  await change('told-to-the-one-that-is-left');
  await notice(second).waitFor();
  await expect.poll(() => streams.length, SOON).toBe(2);
  expect(streams[1]).not.toBeNull();
});
