import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Release } from '../../../../tools/demo/release-plan.ts';
import type { Place } from '../../../../tools/demo/shop.ts';
import { dayOfSeconds } from '../../src/lib/day.ts';
import { paths } from '../../src/lib/paths.ts';
import { duration } from '../../src/lib/time.ts';
import { quantile } from '../../src/pictures/lead-times.ts';
import { bothWays, type Hands } from '../hands.ts';
import { arrowTo, pick } from '../landmarks.ts';
import { settle } from '../settle.ts';
import { openStage } from '../stage.ts';

const stage = await openStage();
const { org } = stage;
const { violation, drift, releases } = org;

function some<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('the demo has none of these');
  return found;
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

/** The visible box covers the input that the keyboard reaches, so the mouse clicks the label. */
async function tick(page: Page, hands: Hands, words: string): Promise<void> {
  await hands.press(hands.name === 'mouse' ? page.getByText(words, { exact: true }) : page.getByLabel(words));
}

async function texts(cells: Locator): Promise<string[]> {
  return (await cells.allTextContents()).map((text) => text.trim());
}

describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey('a release manager traces a commit to where it runs, and to what blocks it', async () => {
    const { release } = violation;
    const { page, troubles } = await stage.open('bea');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await hands.press(page.getByRole('link', { name: 'Where is it?', exact: true }));
    await hands.fill(page.getByLabel('Commit, fingerprint, pull request, ticket, or version'), release.commit);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Where is ${release.commit.slice(0, 12)}?` }).waitFor();

    const stops = page.getByRole('list', { name: `Path of ${release.image}` }).getByRole('listitem');
    const stop = (name: string) => stops.filter({ hasText: name });
    await stop('eu-production').getByText('Blocked').waitFor();
    expect(await stop('Commit').textContent()).toContain(release.message);
    await stop('staging').getByText('running; started').waitFor();
    await stop('production').first().getByText('Non-compliant').waitFor();
    await stop('eu-production').getByText(/sast/).waitFor();
    const took = (release.starts.production?.getTime() ?? 0) - (release.starts.staging?.getTime() ?? 0);
    expect(await stops.nth(3).textContent()).toContain(`${duration(took / 1000)} later`);

    await hands.press(page.getByText('As a table'));
    const table = page.getByRole('table', { name: `Path of ${release.image}` });
    expect(await texts(table.getByRole('rowheader'))).toEqual([
      'Commit',
      'Built',
      'staging',
      'production',
      'batch',
      'eu-production',
    ]);
    const blocked = table.getByRole('row', { name: /^eu-production/ });
    expect(await blocked.textContent()).toMatch(/not yet.*Blocked\./);
    await stop('eu-production').locator('[data-state="non-compliant"]').waitFor();

    await hands.press(stop('eu-production').getByRole('link', { name: 'Why?' }));
    await page.getByRole('heading', { level: 1, name: `Why ${release.image} in eu-production?` }).waitFor();
    await settle(page);
    await page
      .getByText(/2 errors/)
      .first()
      .waitFor();
    expect(troubles).toEqual([]);
  });

  journey('a ticket leads to its release, from any page', async () => {
    const release = some(releases.web.at(-1));
    const { page, troubles } = await stage.open('bea');
    const hands = handsOf(page);
    await page.goto(`/${org.name}/environments`);
    await hands.press(page.getByRole('button', { name: 'Search or jump to …' }));
    const sought = page.getByRole('combobox', { name: 'Search or jump to' });
    await hands.fill(sought, release.ticket);
    const option = page.getByRole('option', { name: `Where is ${release.ticket}?` });
    await option.waitFor();
    if (hands.name === 'mouse') await option.click();
    else await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: `Where is ${release.ticket}?` }).waitFor();
    const way = page.getByRole('list', { name: `Path of ${release.image}` });
    await way.getByRole('listitem').filter({ hasText: 'staging' }).getByText('running; started').waitFor();
    await way.getByText('Allowed').first().waitFor();
    expect(await page.getByRole('list', { name: /^Path of/ }).count()).toBe(1);

    await hands.press(page.getByRole('link', { name: `web / ${release.trail}` }));
    await page.getByRole('heading', { level: 1, name: release.trail }).waitFor();
    await page.getByText(release.message).first().waitFor();
    expect(troubles).toEqual([]);
  });

  journey('a ticket from long ago is found by searching further back, and the range is shown', async () => {
    const release = some(releases.catalog[0]);
    const { page, troubles } = await stage.open('bea');
    const hands = handsOf(page);
    await page.goto(`/${org.name}/trace/${release.ticket}`);
    const further = page.getByRole('button', { name: 'Search further back' });
    const way = page.getByRole('list', { name: `Path of ${release.image}` });
    for (let steps = 0; steps < 5 && (await way.count()) === 0; steps++) {
      await settle(page);
      await further.or(way).first().waitFor();
      if ((await way.count()) > 0) break;
      await page.getByText(/The newest [\d,]+ trails/).waitFor();
      await hands.press(further);
    }
    await way.getByRole('listitem').filter({ hasText: 'production' }).first().getByText('exited; started').waitFor();
    expect(troubles).toEqual([]);
  });

  journey('the matrix shows that search has drifted, and which of both is behind', async () => {
    const { behind, newest, service } = drift;
    const { page, troubles } = await stage.open('bea');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await hands.press(page.getByRole('link', { name: 'Matrix', exact: true }));
    const row = page.getByRole('row', { name: new RegExp(`^${service}`) });
    await row.getByText('Drift:').waitFor();
    await tick(page, hands, 'Drifting services only');
    await page.getByRole('row', { name: /^mailer/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?only=drift');

    await pick(page, hands, page.getByRole('combobox', { name: 'Environment' }), 'production');
    await page.getByRole('button', { name: 'Hide production' }).waitFor();
    await pick(page, hands, page.getByRole('combobox', { name: 'Another environment' }), 'eu-production');
    await page.getByRole('button', { name: 'Hide eu-production' }).waitFor();
    await page.getByRole('columnheader', { name: /^staging/ }).waitFor({ state: 'detached' });
    const cells = row.getByRole('cell');
    await cells.nth(1).getByText('differs from production').waitFor();
    expect(await cells.nth(0).textContent()).toContain(newest.version);
    expect(await cells.nth(1).textContent()).toContain(behind.version);
    expect(await cells.nth(1).getByRole('time').getAttribute('datetime')).toBe(
      new Date(seconds(some(behind.starts['eu-production'])) * 1000).toISOString(),
    );

    await hands.press(cells.nth(1).getByRole('link', { name: behind.version, exact: true }));
    await page.getByRole('heading', { level: 1, name: behind.image }).waitFor();
    await page.goBack();
    await cells.nth(1).getByText('differs from production').waitFor();
    expect(troubles).toEqual([]);
  });

  journey('deployments of an environment within some days have the right lead times', async () => {
    const [from, to] = [dayOfSeconds(seconds(org.now) - 30 * 86_400), dayOfSeconds(seconds(org.now) - 12 * 86_400)];
    const expected = startsIn('production', from, to);
    const { page, troubles } = await stage.open('bea');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await hands.press(page.getByRole('link', { name: 'Deployments', exact: true }));
    await pick(page, hands, page.getByRole('combobox', { name: 'Environment' }), 'production');
    await page.getByRole('heading', { name: 'Frequency in production' }).waitFor();
    await fillDate(page, hands, page.getByLabel('From', { exact: true }), from);
    await fillDate(page, hands, page.getByLabel('To (inclusive)'), to);
    await page.waitForURL(new RegExp(`from=${from}.*to=${to}`));
    await settle(page);

    const leads = expected.map(({ lead }) => lead);
    const [median, p90] = [quantile(leads, 0.5), quantile(leads, 0.9)].map((lead) => duration(some(lead ?? undefined)));
    const plot = page.getByRole('region', { name: 'Lead times' });
    await plot
      .getByRole('img', {
        name: `Lead times of ${expected.length} deployments, median ${median}, nine of ten within ${p90}.`,
      })
      .waitFor();
    await plot.getByText(`Median ${median}, p90 ${p90}`).waitFor();
    await hands.press(plot.getByText('As a table'));
    const twin = plot.getByRole('table').getByRole('row');
    expect(await texts(twin.getByRole('cell').filter({ hasText: /^[\d dhmins]+$/ }))).toEqual(
      expected.map(({ lead }) => duration(lead)),
    );

    const frequency = page.getByRole('region', { name: 'Frequency in production' });
    const label = (await frequency.getByRole('img').getAttribute('aria-label')) ?? '';
    await hands.press(frequency.getByText('As a table'));
    const counts = await texts(frequency.getByRole('table').getByRole('cell').filter({ hasText: /^\d+$/ }));
    const numbers = counts.map(Number);
    expect(label).toContain(
      `${expected.length} deployments in ${numbers.length} days, at most ${Math.max(...numbers)}`,
    );
    expect(numbers.reduce((sum, count) => sum + count, 0)).toBe(expected.length);

    const list = page.getByRole('table', { name: 'Deployments, newest first' });
    expect(await list.getByRole('row').count()).toBe(expected.length + 1);
    const first = some(expected[0]);
    const newest = list.getByRole('row').nth(1);
    expect(await newest.textContent()).toContain(duration(first.lead));
    await hands.press(newest.getByRole('link', { name: first.image }));
    await page.getByRole('heading', { level: 1, name: first.image }).waitFor();
    expect(troubles).toEqual([]);
  });

  journey('an artifact is found by the first digits of its fingerprint', async () => {
    const { newest } = drift;
    const { page, troubles } = await stage.open('carl');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (hands.name === 'mouse') await page.getByRole('button', { name: 'Search or jump to …' }).click();
    else await page.keyboard.press('ControlOrMeta+K');
    await hands.fill(page.getByRole('combobox', { name: 'Search or jump to' }), newest.fingerprint.slice(0, 7));
    const option = page.getByRole('option', { name: newest.image });
    await option.waitFor();
    if (hands.name === 'mouse') await option.click();
    else {
      await arrowTo(page, option);
      await page.keyboard.press('Enter');
    }
    await page.getByRole('heading', { level: 1, name: newest.image }).waitFor();
    await page.getByText(`sha256:${newest.fingerprint}`).waitFor();
    expect(troubles).toEqual([]);
  });

  journey('a developer finds what runs a library, and what changed in the components of an artifact', async () => {
    const { page, troubles } = await stage.open('bea');
    const hands = handsOf(page);
    await page.goto(`/${org.name}`);
    await hands.press(page.getByRole('link', { name: 'Where is it?', exact: true }));
    await hands.press(page.getByRole('main').getByRole('link', { name: 'Components' }));
    await hands.fill(page.getByLabel('Component', { exact: true }), 'pkg:npm/zod');
    await hands.fill(page.getByLabel('Versions'), '<5');
    await page.keyboard.press('Enter');
    const found = page.getByRole('table', { name: 'Artifacts that run the component' });
    await found.getByRole('link', { name: 'production', exact: true }).first().waitFor();
    await page.getByText(/of \d+ running artifacts without SBOM|running artifacts has an SBOM/).waitFor();
    expect(new URL(page.url()).searchParams.get('range')).toBe('<5');
    await hands.fill(page.getByLabel('Versions'), '<1');
    await page.keyboard.press('Enter');
    await page.getByText('No SBOM of a running artifact contains this component').waitFor();

    const [one, other] = org.releases.checkout.slice(-2);
    await page.goto(paths.componentDiff(org.name, some(one).fingerprint, some(other).fingerprint));
    await page.getByText(/\d+ unchanged/).waitFor();
    expect(await page.getByRole('table', { name: 'Changed components' }).getByRole('row').count()).toBeGreaterThan(1);
    expect(troubles).toEqual([]);
  });
});

/** The starts on these days according to the history, newest first, with their lead times. */
function startsIn(place: Place, from: string, to: string) {
  const ofPlace = ({ starts, committedAt, image }: Release) => {
    const at = starts[place];
    return at ? [{ image, at, day: at.toISOString().slice(0, 10), lead: seconds(at) - seconds(committedAt) }] : [];
  };
  return Object.values(releases)
    .flat()
    .flatMap(ofPlace)
    .filter(({ day }) => day >= from && day <= to)
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
}

/** Browsers have a field for each part of a date, in the order of the locale. */
async function fillDate(page: Page, hands: Hands, field: Locator, date: string): Promise<void> {
  if (hands.name === 'mouse') return field.fill(date);
  const [year, month, day] = date.split('-');
  await hands.enter(field);
  await page.keyboard.type(`${month}${day}${year}`);
}
