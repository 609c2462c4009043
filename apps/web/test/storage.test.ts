import { expect, it } from 'vitest';
import { paths } from '../src/lib/paths.ts';
import { settle } from './settle.ts';
import { openStage } from './stage.ts';

const stage = await openStage();
const org = stage.org.name;

/** Of 10 GiB and 1,000 rows. */
async function givenStorage(bytes: number, rows: number): Promise<void> {
  const { id } = await stage.db
    .updateTable('org')
    .set({ storage_quota_bytes: 10 * 2 ** 30, storage_quota_rows: 1_000 })
    .where('name', '=', org)
    .returning('id')
    .executeTakeFirstOrThrow();
  const usage = { content_bytes: bytes, file_bytes: 0, row_count: rows };
  await stage.db
    .insertInto('org_storage')
    .values({ org_id: id, ...usage })
    .onConflict((row) => row.column('org_id').doUpdateSet(usage))
    .execute();
}

it('shows how much the org stores, and warns on the home page before evidence is refused', async () => {
  const { page, troubles } = await stage.open('ada');
  const needs = page.getByRole('region', { name: 'Needs attention' });
  const storage = page.getByRole('region', { name: 'Storage' });

  await givenStorage(2 ** 30, 500);
  await page.goto(paths.home(org));
  await settle(page);
  expect(await needs.getByText('Storage', { exact: false }).count()).toBe(0);

  await givenStorage(8.5 * 2 ** 30, 500);
  await page.reload();
  await settle(page);
  await needs.getByText('The storage quota is almost used up: 8.5 GiB of 10.0 GiB').waitFor();
  await needs.getByRole('link', { name: 'Show storage' }).click();
  await storage.getByText('8.5 GiB of 10.0 GiB · 85 percent').waitFor();
  await storage.getByText('500 of 1,000 · 50 percent').waitFor();
  await storage.getByText('The storage quota is almost used up').waitFor();

  await givenStorage(8.5 * 2 ** 30, 1_000);
  await page.reload();
  await storage.getByText('The storage quota is used up').waitFor();
  await page.goto(paths.home(org));
  await needs.getByText('New evidence is refused: 1,000 of 1,000 rows').waitFor();
  expect(troubles).toEqual([]);
});
