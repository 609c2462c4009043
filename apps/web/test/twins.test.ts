import type { Locator } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { panel } from './landmarks.ts';
import { routesOf } from './routes.ts';
import { settle } from './settle.ts';
import { openStage } from './stage.ts';

/** A picture and the list or table below it show the same. */

const stage = await openStage();
const routes = routesOf(stage.org);
const { page, troubles } = await stage.open('carl');

const LONG = { timeout: 180_000 };

const textsOf = (found: Locator): Promise<string[]> =>
  found.evaluateAll((all) => all.map(({ textContent }) => (textContent ?? '').trim()));

it.each(['why of an environment', 'why of a trail', 'why of an artifact'])('%s', async (name) => {
  await page.goto(routes[name] ?? '');
  await settle(page);
  await page.getByRole('button', { name: 'Expand all' }).click();
  await page.getByText('As a list', { exact: true }).click();
  const tree = page.getByRole('treegrid');
  const list = page.getByRole('group').filter({ hasText: 'As a list' });
  // Times such as "3 minutes ago" may change between two reads of the page.
  await vi.waitFor(async () => {
    const heads = await headsOf(tree);
    expect(heads.length).toBeGreaterThan(3);
    expect(await textsOf(list.locator('li:not(dl li) > span:first-child'))).toEqual(heads);
    expect(await textsOf(list.locator('dl'))).toEqual(await textsOf(tree.locator('dl')));
  }, LONG);
});

async function headsOf(tree: Locator): Promise<string[]> {
  const rows = await tree.getByRole('row').evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
  return rows.flatMap((label) => {
    const [, word = '', what = ''] =
      /^(Compliant|Non-compliant|Unknown|Waived|Does not apply): (.*)$/.exec(label) ?? [];
    return word === '' ? [] : [`${what} ${word.toLowerCase()}`];
  });
}

it.each(['trail', 'artifact'])('the evidence chain of %s', async (name) => {
  await page.goto(routes[name] ?? '');
  const chain = panel(page, 'Evidence chain');
  await chain.getByRole('figure').waitFor();
  await settle(page);
  const unfold = chain.getByRole('button', { name: 'Expand passing' });
  if (await unfold.isVisible()) await unfold.click();
  const drawn = await chain
    .getByRole('figure')
    .locator('[title]')
    .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('title') ?? '').filter((title) => title !== ''));

  const summary = chain.getByText(/^As a table/);
  await summary.click();
  const tableRows = await chain
    .getByRole('table', { name: 'Evidence chain' })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => {
        const [, what, state, , why] = [...row.children];
        const [title, ...detail] = [...(what?.childNodes ?? [])].map(({ textContent }) => textContent ?? '');
        return [title ?? '', state?.textContent ?? '', detail.join(''), why?.textContent ?? '']
          .filter((text) => text !== '' && text !== '–')
          .join('. ');
      }),
    );
  const isNode = (title: string) => tableRows.some((row) => row.startsWith(title.split('. ')[0] ?? title));
  expect(tableRows.length).toBeGreaterThan(8);
  expect(drawn.filter(isNode).toSorted()).toEqual(tableRows.toSorted());
  expect(await summary.textContent()).toBe(`As a table (${tableRows.length} entries, 0 missing)`);
});

it('the recorded history and the one with a draft', async () => {
  await page.goto(routes['policy test'] ?? '');
  await settle(page);
  const { origin } = new URL(page.url());
  expect(origin).toBe(stage.url);
  const editor = page.getByRole('textbox', { name: /Policy \(YAML\)/ });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(
    '_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - { name: pull-request, type: pull_request, min_approvals: 2 }\n',
  );
  await page.getByRole('button', { name: 'Run back-test' }).click();
  const picture = page.getByRole('img', { name: /^production: as recorded/ });
  await picture.waitFor();
  const strips = await picture.evaluate((svg) =>
    [...svg.querySelectorAll('g')].map((row) =>
      [...row.querySelectorAll('rect')].map((rect) => rect.getAttribute('class') ?? ''),
    ),
  );

  const figure = page.getByRole('figure').filter({ has: picture });
  await figure.getByText('As a table').click();
  const rows = await figure
    .getByRole('table')
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')));
  const [, , recorded = '', drafted = ''] = rows.pop() ?? [];
  const failing = (time: string) => (time === '0 s' ? 'never failing' : `failing for ${time}`);
  expect(await picture.getAttribute('aria-label')).toBe(
    `production: as recorded ${failing(recorded)}, with the draft ${failing(drafted)}`,
  );
  expect(drafted).not.toBe(recorded);
  expect(strips.map((strip) => withoutRepeats(strip.map((fill) => STATE_WORDS[fill] ?? fill)))).toEqual([
    withoutRepeats(rows.map(([, , before = '']) => before)),
    withoutRepeats(rows.map(([, , before = '', after = '']) => (after === 'the same' ? before : after))),
  ]);
});

it('nothing broke meanwhile', () => expect(troubles).toEqual([]));

const STATE_WORDS: Readonly<Record<string, string>> = {
  'fill-good-fill': 'Compliant',
  'fill-bad-fill': 'Non-compliant',
  '': 'Unknown',
};

function withoutRepeats(states: readonly string[]): string[] {
  return states.filter((state, place) => state !== states[place - 1]);
}
