import { createClient } from '@waymark/client';
import { putEnvironment } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { sample } from '../../../tools/test-size.ts';
import { paths } from '../src/lib/paths.ts';
import { arrowTo } from './landmarks.ts';
import { routesOf } from './routes.ts';
import { settle } from './settle.ts';
import { openStage } from './stage.ts';

const stage = await openStage();
const org = stage.org.name;

describe('a page', () => {
  it('shows that it is loading, after a moment', async () => {
    const { page } = await stage.open('ada');
    await page.route('**/api/v2/environments/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.continue();
    });
    await page.goto(paths.environments(org));
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    await page.getByRole('table', { name: 'Environments' }).waitFor();
  });

  it('says what went wrong, with the request id, and retries on request', async () => {
    const { page } = await stage.open('ada');
    await page.route('**/api/v2/environments/**', (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/json',
        headers: { 'x-request-id': 'request-7' },
        body: JSON.stringify({ message: 'Internal error' }),
      }),
    );
    await page.goto(paths.environments(org));
    const alert = page.getByRole('alert');
    await alert.getByText('Internal error').waitFor();
    await alert.getByText('request-7').waitFor();
    await page.unroute('**/api/v2/environments/**');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Environments' }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  it('says that the service cannot be reached', async () => {
    const { page } = await stage.open('ada');
    await page.route('**/api/v2/flows/**', (route) => route.abort());
    await page.goto(paths.flows(org));
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor({ timeout: 600_000 });
  });

  it.each(['environments/nothing', 'flows/nothing', 'flows/nothing/trails/1', 'policies/nothing', 'controls/NOTHING'])(
    'says that there is no %s',
    async (rest) => {
      const { page } = await stage.open('ada');
      await page.goto(`/${org}/${rest}`);
      await page.getByRole('alert').first().waitFor();
      expect(await page.getByRole('navigation', { name: /^Parts of/ }).count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Why?' }).count()).toBe(0);
    },
  );

  it('says that there is no such page', async () => {
    const { page } = await stage.open('ada');
    await page.goto(`/${org}/no/such/page`);
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).waitFor();
  });
});

it('a list of names never claims no match before the response, and keeps the marked option', async () => {
  const { page } = await stage.open('bea');
  const answer = Promise.withResolvers<void>();
  await page.route('**/api/v2/search/**', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await page.goto(paths.environmentPolicies(org, 'staging'));
  await page.getByRole('button', { name: 'Attach policy' }).click();
  const asked = page.waitForRequest('**/api/v2/search/**');
  const field = page.getByRole('combobox', { name: 'Policy' });
  await field.fill('prod-rel');
  await asked;
  const option = page.getByRole('option', { name: 'prod-release', exact: true });
  await arrowTo(page, option);
  expect(await page.getByText('No other policies match').count()).toBe(0);
  const answered = page.waitForResponse('**/api/v2/search/**');
  answer.resolve();
  await answered;
  await page.keyboard.press('Enter');
  await option.waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('prod-release');
});

it('environments are filtered by state with one press, in the address', async () => {
  const { page } = await stage.open('carl');
  await page.goto(paths.environments(org));
  const rows = page.getByRole('table', { name: 'Environments' }).getByRole('row');
  await page.getByRole('button', { name: 'Stale', exact: true }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await rows.getByRole('link', { name: 'batch', exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?state=stale');
  await page.getByRole('button', { name: 'Compliant', exact: true }).click();
  await rows.getByRole('link', { name: 'batch', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Compliant', exact: true }).click();
  await rows.getByRole('link', { name: 'batch', exact: true }).waitFor();
});

it('no button of a trail is smaller than 24 pixels', async () => {
  const { page } = await stage.open('carl');
  const { service, trail } = stage.org.violation.release;
  await page.goto(paths.trail(org, service, trail));
  await settle(page);
  const small = await page.getByRole('button').evaluateAll((buttons) =>
    buttons.flatMap((button) => {
      const { width, height } = button.getBoundingClientRect();
      const isShown = width > 0 && button.tagName === 'BUTTON';
      return isShown && Math.min(width, height) < 24 ? [button.getAttribute('aria-label') ?? button.textContent] : [];
    }),
  );
  expect(await page.getByRole('navigation', { name: 'Breadcrumb' }).textContent()).toBe(`Flows/${service}`);
  // The line that opens the proof is text within a sentence.
  expect(small.filter((name) => !name?.includes('Proof'))).toEqual([]);
});

it('the actions of a flow are in its head', async () => {
  const { page } = await stage.open('ada');
  await page.goto(paths.flow(org, stage.org.violation.release.service));
  const rename = await page.getByRole('button', { name: 'Rename' }).boundingBox();
  const tabs = await page.getByRole('navigation', { name: /^Parts of/ }).boundingBox();
  expect(rename?.y).toBeLessThan(tabs?.y ?? 0);
});

describe('a stale environment', () => {
  it('is nowhere green', async () => {
    const { page } = await stage.open('carl');
    await page.goto(paths.environment(org, 'batch'));
    await settle(page);
    await page
      .getByText(/^stale /)
      .first()
      .waitFor();
    expect(
      await page.getByRole('heading', { level: 1 }).locator('..').getByText('Compliant', { exact: true }).count(),
    ).toBe(0);
  });
});

it('a read-only text takes no typing, and its page violates no policy', async () => {
  const { page, troubles } = await stage.open('ada');
  await page.goto(paths.policy(org, 'prod-release'));
  const text = page.locator('.cm-content');
  const before = await text.textContent();
  await text.click();
  for (const key of ['x', 'Enter', 'Delete', 'ControlOrMeta+A', 'Delete', 'y', 'Enter', 'z', 'Enter', 'Backspace'])
    await page.keyboard.press(key);
  expect(await text.textContent()).toBe(before);
  expect(troubles).toEqual([]);
});

it('a click with Shift on the timeline compares, and selects no text', async () => {
  const { page } = await stage.open('ada');
  await page.goto(paths.timeline(org, 'production'));
  await settle(page);
  await page.getByRole('heading', { level: 1 }).click();
  const picture = page.getByRole('img', { name: /runs of .* in production within/ });
  const box = await picture.boundingBox();
  if (!box) throw new Error('the picture is not to be seen');
  await page.keyboard.down('Shift');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.keyboard.up('Shift');
  await page.getByRole('slider', { name: 'Compared with' }).waitFor();
  expect(await page.evaluate('String(getSelection())')).toBe('');
});

describe('an environment without reports', () => {
  it('counts as no time, and is listed below the heat map', async () => {
    const { page } = await stage.open('ada');
    const share = page.getByText(/^The environments on this page were compliant/);
    const readShare = async () => {
      await page.goto(paths.audit(org, 'compliance'));
      await settle(page);
      return share.textContent();
    };
    const before = await readShare();
    const ada = createClient({ baseUrl: `${stage.url}/api/v2`, apiKey: stage.org.keys.ada, retries: 0 });
    await ada.call(putEnvironment, { params: { org }, body: { name: 'brand-new', type: 'docker' } });
    // Time passes meanwhile, so the share is compared, which has one digit.
    expect(await readShare()).toBe(before);
    const heatMap = page.getByRole('grid', { name: /^Compliance of environments/ });
    await heatMap.getByRole('rowheader', { name: 'production', exact: true }).waitFor();
    expect(await heatMap.getByText('brand-new').count()).toBe(0);
    const others = page.getByText('1 without a report:');
    expect(await others.getByRole('link', { name: 'brand-new' }).getAttribute('href')).toBe(
      paths.environment(org, 'brand-new'),
    );
  });
});

describe('an org in which nothing has happened', () => {
  const { name: _, ...seen } = stage.org;
  const LISTS = [
    'home',
    'environments',
    'matrix',
    'trace',
    'deployments',
    'flows',
    'policies',
    'controls',
    'activity',
    'packages',
    'exceptions',
    'compliance',
    'ledger',
    'notifications',
    'deliveries',
    'members',
    'service accounts',
    'workload identity',
    'trust',
  ];
  const routes = routesOf({ ...seen, name: 'ada' });

  it.each(sample(LISTS, 4))('has a page for: %s', async (name) => {
    const { page, troubles } = await stage.open('ada');
    await page.goto(routes[name] ?? '');
    await settle(page);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    expect(troubles).toEqual([]);
  });
});
