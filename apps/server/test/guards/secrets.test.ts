import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../../../../tools/services/port.ts';
import { newKeyText } from '../../src/platform/http/key-text.ts';
import { givenInstallation } from '../faults/installation.ts';
import { runCommand } from '../faults/processes.ts';
import { startMailServer } from '../mail-server.ts';
import { startCiIssuer } from '../oidc/ci-issuer.ts';
import { startProvider } from '../oidc/start-provider.ts';
import { startObserved } from './secrets/observed-servers.ts';
import { formsOf, secretsIn, secretsInDatabase } from './secrets/scan.ts';
import { useEverySecret } from './secrets/scenario.ts';

const mails = await startMailServer();

it('no secret is left in the log, the traces, the metrics or the database', async () => {
  const installation = await givenInstallation();
  const { url, databaseUrl } = installation;
  const env = {
    ...installation.env,
    WAYMARK_SMTP_URL: mails.url,
    WAYMARK_SECRET_KEY: randomBytes(32).toString('base64'),
    WAYMARK_OUTBOUND_NETWORKS: '127.0.0.0/8',
  };
  const clientSecret = randomBytes(24).toString('base64url');
  const provider = await startProvider({ redirectUris: [`${url}/sign-in/*/callback`], clientSecret });
  onTestFinished(() => provider.stop());
  const issuer = await startCiIssuer({ now: () => new Date(), audience: `${url}/acme` });
  onTestFinished(() => issuer.close());
  const servers = await startObserved(env, url, await findFreePort());

  const secrets = new Map([
    ['client secret', clientSecret],
    ['key of the installation', env.WAYMARK_SECRET_KEY],
  ]);
  const note = (name: string, secret: string) => {
    expect(secret.length, name).toBeGreaterThanOrEqual(16);
    secrets.set(name, secret);
    return secret;
  };
  const { stdout: setUpLink } = await runCommand(['set-up'], env);
  await useEverySecret({ url, mails, provider, clientSecret, issuer, note }, setUpLink.trim());

  const output = await servers.stop();
  expect(output.log).toContain('"msg":"request"');
  expect(output.traces).toContain('/api/v2/flows/:org');
  expect(output.traces).toContain('pg find_callers');
  expect(output.metrics).toContain('/sign-in/link');
  for (const [place, text] of Object.entries(output)) expect(secretsIn(text, secrets), `in the ${place}`).toEqual([]);
  const { rows, found } = await secretsInDatabase(databaseUrl, secrets);
  expect(found).toEqual([]);
  console.log(`secrets: ${secrets.size} of them, in none of ${rows} rows and ${output.log.split('\n').length} lines`);

  for (const planted of plantings(secrets.get('CI token') ?? '')) {
    await planted.execute(installation.db);
    expect((await secretsInDatabase(databaseUrl, secrets)).found).toEqual(['CI token in public.tag']);
    await sql`delete from tag where org_id = ${NOBODY}`.execute(installation.db);
  }
}, 600_000);

function plantings(secret: string) {
  return [secret, Buffer.from(secret).toString('hex'), Buffer.from(`{"a":"${secret}"}`).toString('base64')].map(
    (value) => sql`
      insert into tag (org_id, subject_kind, subject_id, key, value)
      values (${NOBODY}, 'note', ${NOBODY}, 'planted', ${value})`,
  );
}

const NOBODY = '00000000-0000-7000-8000-000000000001';

describe('the scan', () => {
  const key = newKeyText('e');
  const secrets = new Map([['key', key]]);

  it.each([
    key,
    `{"url":"/x?key=${key}&y=1"}`,
    Buffer.from(key).toString('base64'),
    Buffer.from(`${key}:x`).toString('base64'),
    Buffer.from(`a${key}`).toString('base64url'),
    Buffer.from(`ab${key}cd`).toString('base64'),
    `\\x${Buffer.from(`..${key}..`).toString('hex')}`,
  ])('finds a key in %s', (text) => {
    expect(secretsIn(`before ${text} after`, secrets)).toEqual(['key']);
  });

  it('finds nothing where nothing is', () => {
    expect(secretsIn(`${newKeyText('e')} ${Buffer.from(newKeyText('e')).toString('base64')}`, secrets)).toEqual([]);
    expect(formsOf(key).every((form) => form.length >= 40)).toBe(true);
  });
});
