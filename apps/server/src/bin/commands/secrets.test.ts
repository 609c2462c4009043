import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { commandsOn } from '../../../test/run-command.ts';
import { sealedColumns } from '../../app/sealed-columns.ts';
import { newId } from '../../platform/ids.ts';
import { openSecretBox, type SecretBox, secretKeyId } from '../../platform/secret-box.ts';

const api = await startApi();
const [older, newer] = [randomBytes(32), randomBytes(32)];

const reseal = (...keys: Buffer[]) => {
  const WAYMARK_SECRET_KEY = keys.map((key) => key.toString('base64')).join(',');
  return commandsOn(api.url, 'http://waymark.test', { WAYMARK_SECRET_KEY })('secrets', 'reseal');
};

/** More than a batch of targets, each with every secret that it can have. */
const TARGETS = 120;

async function givenSecrets(box: SecretBox): Promise<void> {
  const org_id = api.org.id;
  const seal = (column: string, id: string) => {
    const found = sealedColumns.find((sealed) => sealed.column === column);
    return box.seal(`${column} of ${id}`, found?.contextOf(id) ?? '');
  };
  const about = { issuer: 'https://idp.example.com', client_id: 'waymark', email_domains: [], configured_by: 'tests' };
  const at = { configured_at: api.clock.now, setting_id: newId(), default_role: 'reader' as const };
  await api.db
    .insertInto('sso_setting')
    .values({ org_id, ...about, ...at, sealed_secret: seal('sealed_secret', org_id) })
    .execute();
  const key = newId();
  await api.db
    .insertInto('webhook_key')
    .values({
      org_id,
      id: key,
      public_key: Buffer.alloc(32),
      private_sealed: seal('private_sealed', key),
      created_at: api.clock.now,
    })
    .execute();
  for (let position = 0; position < TARGETS; position++) {
    const id = newId();
    await sql`
      insert into notification_target (org_id, id, source_id, kind, position, url_sealed, secret_sealed, old_secret_sealed,
        created_at)
      values (${org_id}, ${id}, ${newId()}, 'WEBHOOK', ${position}, ${seal('url_sealed', id)},
        ${seal('secret_sealed', id)}, ${seal('old_secret_sealed', id)}, now())`.execute(api.db);
  }
}

/** Every stored secret, opened. */
async function openAll(box: SecretBox): Promise<string[]> {
  const opened: string[] = [];
  for (const { table, column, id, contextOf } of sealedColumns) {
    const { rows } = await sql<{ id: string; sealed: string }>`
      select ${sql.ref(id)} as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
      where org_id = ${api.org.id} and ${sql.ref(column)} is not null`.execute(api.db);
    opened.push(...rows.map((row) => box.open(row.sealed, contextOf(row.id))));
  }
  return opened.sort();
}

it('moves every secret to a new key, so that the old one can be removed', { timeout: 600_000 }, async () => {
  await givenSecrets(openSecretBox(older));
  const before = await openAll(openSecretBox(older));
  expect(before).toHaveLength(2 + 3 * TARGETS);

  const total = before.length;
  expect(await reseal(newer)).toEqual({
    code: 1,
    out: `0 resealed with key ${secretKeyId(newer)}\n${total} not resealed: sealed with key ${secretKeyId(older)}, which is not in WAYMARK_SECRET_KEY, or damaged`,
    err: '',
  });
  expect(await openAll(openSecretBox(older))).toEqual(before);

  expect(await reseal(newer, older)).toEqual({
    code: 0,
    out: `${total} resealed with key ${secretKeyId(newer)}\nAll secrets use the first key`,
    err: '',
  });
  expect(await openAll(openSecretBox(newer))).toEqual(before);
  expect((await reseal(newer)).out).toMatch(/^0 resealed/);
});

it('says what is missing where there is no key', async () => {
  expect(await commandsOn(api.url)('secrets', 'reseal')).toMatchObject({
    code: 1,
    err: expect.stringContaining('WAYMARK_SECRET_KEY is not set'),
  });
  expect(
    await commandsOn(api.url, 'http://waymark.test', { WAYMARK_SECRET_KEY: 'short' })('secrets', 'reseal'),
  ).toMatchObject({
    err: expect.stringContaining('WAYMARK_SECRET_KEY must be 32 random bytes in base64'),
  });
});

/** The sealer of the ledger counts entries, and seals no secrets. */
it('knows every column that holds sealed secrets', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and column_name like '%sealed%' and table_name <> 'sealer'`.execute(api.db);
  expect(rows.map(({ name }) => name).sort()).toEqual(
    sealedColumns.map(({ table, column }) => `${table}.${column}`).sort(),
  );
});
