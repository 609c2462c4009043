import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openBrowser, startListeningApi } from '../../../../test/browser.ts';
import { newId } from '../../../platform/ids.ts';
import { unsubscribeUrl } from './unsubscribe-link.ts';

const api = await startListeningApi();
const browser = await openBrowser();
/** Where screenshots are saved, for anybody who wants to see them. */
const shots = process.env['WAYMARK_SHOTS'];

async function givenTarget(): Promise<string> {
  const [notification, target] = [newId(), newId()];
  const now = api.clock.now;
  await sql`
    insert into notification (org_id, id, number, kind, name, triggers, created_at, created_by, last_modified_at)
    values (${api.org.id}, ${notification}, 1, 'env', 'production alerts', '{}', ${now}, 'tests', ${now})`.execute(
    api.db,
  );
  await sql`
    insert into notification_target (org_id, id, source_id, kind, position, emails, created_at)
    values (${api.org.id}, ${target}, ${notification}, 'EMAIL', 0, '{ada@example.test}', ${now})`.execute(api.db);
  return target;
}

it('is asked and answered in Chromium', { timeout: 600_000 }, async () => {
  const url =
    unsubscribeUrl(api.app.publicUrl, api.parts.secretBox)(api.org.id, await givenTarget(), 'ada@example.test') ?? '';
  const page = await browser.newPage({ viewport: { width: 390, height: 700 } });
  const problems: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
  const inspect = async (name: string) => {
    if (shots === undefined) return;
    await mkdir(shots, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(shots, `unsubscribe-${name}-${colorScheme}.png`), fullPage: true });
    }
  };
  await page.goto(url);
  await page.getByRole('heading', { name: 'Unsubscribe from these emails' }).waitFor();
  await inspect('asked');
  await page.getByRole('button', { name: 'Stop emails of this notification' }).click();
  await page.getByRole('heading', { name: 'You are unsubscribed from these emails' }).waitFor();
  await inspect('done');
  await page.getByRole('button', { name: 'Stop all notification emails of acme' }).click();
  await page.getByRole('heading', { name: 'You are unsubscribed from all notification emails' }).waitFor();
  await inspect('all-done');
  await page.goto(url.slice(0, -8));
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
  await inspect('unknown');
  expect(problems.filter((text) => !text.includes('404'))).toEqual([]);
});
