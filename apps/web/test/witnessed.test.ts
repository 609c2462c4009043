import { AxeBuilder } from '@axe-core/playwright';
import { createClient } from '@waymark/client';
import { attestGeneric, beginTrail, eraseAttestation, listAttestations } from '@waymark/contract';
import { formatLedgerProof, type LedgerProof, parseLedgerProof } from '@waymark/transparency';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { paths } from '../src/lib/paths.ts';
import { keyboard } from './hands.ts';
import { HERE, panel } from './landmarks.ts';
import { settle, untilStill } from './settle.ts';
import { openStage } from './stage.ts';

const stage = await openStage({ ledger: true });
const org = stage.org.name;
const api = (apiKey: string) => createClient({ baseUrl: `${stage.url}/api/v2`, apiKey });
const PHONE = { ...HERE, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const attestationId: Record<string, string> = {};

beforeAll(async () => {
  const ci = api(stage.org.keys.ci);
  await ci.call(beginTrail, { params: { org, flow_name: 'mailer' }, body: { name: 'witnessed' } });
  for (const name of ['lint', 'notes']) {
    await ci.call(attestGeneric, {
      params: { org, flow_name: 'mailer', trail_name: 'witnessed' },
      body: { attestation_name: name, is_compliant: true, user_data: { by: name } },
    });
    const query = { flow: 'mailer', name };
    const { data } = await ci.call(listAttestations, { params: { org }, query });
    attestationId[name] = data[0]?.attestation_id ?? '';
  }
});

/** Once it is sealed, the button that opens the proof. */
const sealedLine = (page: Page) => page.getByRole('button', { name: /sealed in checkpoint .* · 2 witnesses/ }).last();
const verifyButton = (page: Page) => page.getByRole('button', { name: 'Verify in this browser' });

async function openAttestation(page: Page, name: string): Promise<void> {
  await page.goto(paths.trail(org, 'mailer', 'witnessed', attestationId[name]));
  await sealedLine(page).waitFor({ timeout: 180_000 });
  await settle(page);
}

async function openProof(page: Page, name: string): Promise<void> {
  await openAttestation(page, name);
  await sealedLine(page).click();
  await verifyButton(page).waitFor();
}

const failedSteps = (page: Page) =>
  page
    .getByRole('list', { name: 'Verified steps' })
    .getByRole('listitem')
    .filter({ hasText: 'Failed:' })
    .locator('.font-medium')
    .allTextContents();

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await untilStill(page);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(
      grave.map(({ id, nodes }) => ({ id, where: nodes.map(({ target }) => target.join(' ')) })),
      colorScheme,
    ).toEqual([]);
  }
}

it('what was just recorded is sealed and cosigned by two witnesses, and verified on the open page', async () => {
  const { page, troubles } = await stage.open('carl', HERE);
  await page.goto(paths.trail(org, 'mailer', 'witnessed'));
  await sealedLine(page).click({ timeout: 180_000 });
  await verifyButton(page).click();
  await page.getByText('Proven, if the keys are right').waitFor();
  await page.getByText(/^Cosigned by 'auditor' at .*, 'customer' at /).waitFor();
  await expectAccessible(page);
  await page.goto(paths.audit(org, 'ledger'));
  expect(await panel(page, 'Witnesses').getByText('Cosigned', { exact: true }).nth(1).textContent()).toBe('Cosigned');
  expect(troubles).toEqual([]);
});

it('a proof is opened, verified, and closed with the keyboard alone', async () => {
  const { page } = await stage.open('carl', HERE);
  const hands = keyboard(page);
  await openAttestation(page, 'lint');
  await hands.press(sealedLine(page));
  await hands.press(verifyButton(page));
  await page.getByText('Proven, if the keys are right').waitFor();
  await page.keyboard.press('Escape');
  await verifyButton(page).waitFor({ state: 'detached' });
  expect(await sealedLine(page).evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
});

const changed: readonly [string, (proof: LedgerProof) => LedgerProof, readonly string[]][] = [
  ['the content', ({ entry, ...rest }) => ({ ...rest, entry: { ...entry, payload: '{"name":"else"}' } }), ['Content']],
  [
    'the place in the log of the org',
    ({ entry, ...rest }) => ({ ...rest, entry: { ...entry, hashes: entry.hashes.toReversed().slice(1) } }),
    ['Place in the log of the org'],
  ],
  [
    'the head of the log of the org',
    ({ org, ...rest }) => ({ ...rest, org: { ...org, root: org.root.map((byte) => byte ^ 1) } }),
    ['Place in the log of the org', 'Place in the region log'],
  ],
];

it.each(changed)('a proof in which %s was changed is refused, and the failed step named', async (_, change, steps) => {
  const { page } = await stage.open('carl', HERE);
  await page.route(/\/proof\?/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: formatLedgerProof(change(parseLedgerProof(await response.body()))) });
  });
  await openProof(page, 'lint');
  await verifyButton(page).click();
  await page.getByText('Not proven', { exact: true }).waitFor();
  expect(await failedSteps(page)).toEqual(expect.arrayContaining([...steps]));
  await page.getByText('Proven entry').waitFor({ state: 'detached' });
});

it('a verdict that the server shows otherwise than it was recorded is named', async () => {
  const { page } = await stage.open('carl', HERE);
  await page.route(/\/attestations\/[^/]+\?/, async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replaceAll('"is_compliant":true', '"is_compliant":false');
    await route.fulfill({ response, body: text });
  });
  await openProof(page, 'lint');
  await verifyButton(page).click();
  await page
    .getByText(/This page shows something else than was recorded: verdict false, recorded was true/)
    .first()
    .waitFor();
  expect(await failedSteps(page)).toEqual(['This page']);
});

it('of erased evidence, the page says who erased it and why, and the proof still holds', async () => {
  await api(stage.org.keys.ada).call(eraseAttestation, {
    params: { org, attestation_id: attestationId['notes'] ?? '' },
    body: { reason: 'The file named a customer' },
  });
  const { page, troubles } = await stage.open('ada', PHONE);
  await openAttestation(page, 'notes');
  await page.getByText('The file named a customer').first().waitFor();
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
  await sealedLine(page).click();
  await verifyButton(page).click();
  await page.getByText('Proven, if the keys are right').waitFor();
  await expectAccessible(page);
  expect(troubles).toEqual([]);
});
