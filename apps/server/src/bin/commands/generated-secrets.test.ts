import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../config/env.ts';
import { parseLogKeys } from '../../platform/ledger/log-keys.ts';
import { generateSecrets } from './generated-secrets.ts';

const servers = { database: 'postgres:5432/waymark', nats: 'nats:4222' };

it('are what the settings read, and differ between installations', async () => {
  const [one, two] = [mkdtempSync(join(tmpdir(), 'secrets-')), mkdtempSync(join(tmpdir(), 'secrets-'))];
  for (const directory of [one, two]) expect(generateSecrets(directory, servers).existing).toEqual([]);
  const read = (name: string, directory = one) => readFileSync(join(directory, name), 'utf8');
  const config = loadConfig({
    WAYMARK_REGION: 'eu',
    WAYMARK_PUBLIC_URL: 'http://localhost:8080',
    WAYMARK_DATABASE_URL_FILE: join(one, 'database-url'),
    WAYMARK_DATABASE_OWNER_URL_FILE: join(one, 'database-owner-url'),
    WAYMARK_NATS_URL_FILE: join(one, 'nats-url'),
    WAYMARK_SECRET_KEY_FILE: join(one, 'secret-key'),
    WAYMARK_LEDGER_KEY_FILE: join(one, 'ledger-key'),
    WAYMARK_S3_BUCKET: 'waymark',
    WAYMARK_S3_ACCESS_KEY_FILE: join(one, 's3-access-key'),
    WAYMARK_S3_SECRET_KEY_FILE: join(one, 's3-secret-key'),
  });

  expect(config.database.url).toMatch(/^postgres:\/\/waymark_server:[0-9a-f]{48}@postgres:5432\/waymark$/);
  expect(config.databaseOwnerUrl).toBe(`postgres://waymark:${read('database-owner-password')}@postgres:5432/waymark`);
  expect(await parseLogKeys(config.ledger.keys)).toHaveLength(1);
  expect(config.stream?.urls).toEqual([`nats://waymark:${read('nats-password')}@nats:4222`]);
  for (const name of readdirSync(one)) {
    expect(read(name), name).not.toBe(read(name, two));
    expect(statSync(join(one, name)).mode & 0o777, name).toBe(0o444);
  }
});

it('are left alone when they exist', () => {
  const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
  writeFileSync(join(directory, 'database-owner-password'), 'chosen');
  const { made, existing } = generateSecrets(directory, servers);
  expect(existing).toEqual(['database-owner-password']);
  expect(readFileSync(join(directory, 'database-owner-url'), 'utf8')).toBe(
    'postgres://waymark:chosen@postgres:5432/waymark',
  );

  const again = generateSecrets(directory, servers);
  expect(again).toEqual({ made: [], existing: expect.arrayContaining([...made, ...existing]) });
});
