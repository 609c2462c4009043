import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { openDemoApi } from '../../../tools/demo/demo-api.ts';
import { sessionCookie } from '../../../tools/demo/session-cookie.ts';
import { findFreePort } from '../../../tools/services/port.ts';
import { sample } from '../../../tools/test-size.ts';
import { readWebFiles } from '../../server/src/platform/http/web-files.ts';
import { givenWitnessed, sealCosigned } from '../../server/test/given/cosigned.ts';
import { givenDemo } from '../../server/test/given/demo.ts';
import { paths, withQuery } from '../src/lib/paths.ts';
import { compareScreenshot } from './compare-screenshot.ts';
import { settle } from './settle.ts';

/** The clock is fixed, so that screenshots do not depend on when they are taken. */
const NOW = new Date('2026-10-14T13:37:00Z');
const now = () => NOW;

const port = await findFreePort();
const url = `http://localhost:${port}`;
const demo = await givenDemo({ now: NOW, publicUrl: url });
const web = await readWebFiles(process.env['WAYMARK_WEB_DIR'] ?? join(import.meta.dirname, '../dist'));
const api = openDemoApi({ ...demo.installation, web, ledger: await givenWitnessed() }, NOW);
await sealCosigned(api.db, new Date('2026-10-14T13:36:00Z'));
await api.listen(port);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
afterAll(async () => {
  await browser.close();
  await api.close();
  await demo.drop();
});

const org = demo.org.name;
const { service, trail, fingerprint } = demo.org.violation.release;
const SCREENS: Readonly<Record<string, string>> = {
  home: paths.home(org),
  environments: paths.environments(org),
  environment: paths.environment(org, 'production'),
  timeline: paths.timeline(org, 'production'),
  snapshot: paths.snapshot(org, 'production', '-1'),
  compare: paths.compare(org, 'production', '@{1.day.ago}', '@{now}'),
  why: paths.environmentWhy(org, 'production'),
  matrix: paths.matrix(org),
  trace: paths.trace(org, fingerprint),
  flow: paths.flow(org, service),
  trail: paths.trail(org, service, trail),
  artifact: paths.artifact(org, service, fingerprint),
  policy: paths.policy(org, 'prod-release'),
  control: paths.control(org, 'SDLC-CTRL-01'),
  activity: paths.audit(org, 'activity'),
  deliveries: paths.deliveries(org),
  members: paths.settings(org, 'members'),
};

describe.each([
  ['wide', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  ['narrow', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
] as const)('%s', async (size, options) => {
  const profile = await browser.newContext({ baseURL: url, timezoneId: 'UTC', reducedMotion: 'reduce', ...options });
  await profile.addCookies([await sessionCookie(api.db, url, 'ada', now)]);
  const page = await profile.newPage();
  await page.clock.setFixedTime(NOW);

  const shown = async () => {
    await page.evaluate('document.fonts.ready');
    return page.screenshot({ animations: 'disabled', caret: 'hide' });
  };

  it.each(sample(Object.entries(SCREENS), 2))('%s matches its screenshot', async (name, path) => {
    await page.goto(path);
    await settle(page);
    expect(compareScreenshot(`${name}-${size}`, await shown())).toEqual({ same: true, why: '' });
  });

  it('the proof of a trail matches its screenshot', async () => {
    await page.goto(withQuery(paths.trail(org, service, trail), { proof: 'trail' }));
    await page.getByRole('button', { name: 'Save these keys' }).click();
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('Proven', { exact: true }).waitFor();
    expect(compareScreenshot(`proof-${size}`, await shown())).toEqual({ same: true, why: '' });
  });
});
