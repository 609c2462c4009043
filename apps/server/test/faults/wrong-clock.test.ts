import { expect, it } from 'vitest';
import { createOrg } from '../../src/features/orgs/org.service.ts';
import { newId } from '../../src/platform/ids.ts';
import { clockAhead } from '../given/clock-ahead.ts';
import { givenInstallation, type Installation } from './installation.ts';
import { startServer } from './processes.ts';

const HOUR = 3_600_000;

it('leaves to the worker that holds it a mail and a target, also on a machine whose clock is an hour ahead', async () => {
  const site = await givenInstallation();
  const org = await createOrg(site.ctx, { name: 'acme', kind: 'shared' });
  const another = newId();
  const heldTarget = await givenTarget(site, org, another);
  const dueTarget = await givenTarget(site, org, null);
  // Of an unknown kind, so that it can only be taken.
  const held = await givenMail(site, new Date(Date.now() + HOUR / 2));
  const due = await givenMail(site, new Date());

  await startServer(
    ['worker'],
    {
      ...site.env,
      WAYMARK_SMTP_URL: 'smtp://127.0.0.1:1',
      WAYMARK_MAIL_FROM: 'Waymark <mail@waymark.test>',
      ...clockAhead,
    },
    (worker) => worker.log().includes('worker runs'),
  );

  await expect.poll(() => attemptsOf(site, due), { timeout: 600_000 }).toBe(1);
  expect(await attemptsOf(site, held)).toBe(0);
  // Nothing is to be sent to it, so its lease ends after the check.
  await expect.poll(() => stateOf(site, dueTarget), { timeout: 600_000 }).toEqual({ due_at: null, held_by: null });
  expect(await stateOf(site, heldTarget)).toMatchObject({ held_by: another });
});

async function givenTarget({ db }: Installation, org: string, heldBy: string | null): Promise<string> {
  const id = newId();
  const emails = ['ada@example.test'];
  const target = {
    org_id: org,
    id,
    source_id: org,
    config_type: 'api_key_expiry',
    kind: 'EMAIL',
    position: 0,
  } as const;
  const secrets = { url_sealed: null, url_sha256: null, url_host: null, secret_sealed: null };
  const rest = { payload_version: null, context: null, emails, created_at: new Date() };
  await db
    .insertInto('notification_target')
    .values({ ...target, ...secrets, ...rest })
    .execute();
  const held = heldBy && { held_by: heldBy, held_until: new Date(Date.now() + HOUR / 2) };
  await db
    .insertInto('target_state')
    .values({ org_id: org, target_id: id, due_at: new Date(), ...held })
    .execute();
  return id;
}

function stateOf({ db }: Installation, id: string) {
  const state = db.selectFrom('target_state').select(['due_at', 'held_by']);
  return state.where('target_id', '=', id).executeTakeFirst();
}

async function givenMail({ db }: Installation, dueAt: Date): Promise<string> {
  const id = newId();
  const mail = { id, kind: 'unknown', subject_id: newId(), org_id: null, due_at: dueAt, created_at: new Date() };
  await db.insertInto('mail').values(mail).execute();
  return id;
}

async function attemptsOf({ db }: Installation, id: string): Promise<number | undefined> {
  const mail = await db.selectFrom('mail').select('attempts').where('id', '=', id).executeTakeFirst();
  return mail?.attempts;
}
