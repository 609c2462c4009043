import { createClient } from '@waymark/client';
import {
  changeMember,
  createServiceAccount,
  createServiceAccountKey,
  getMembershipAuditLog,
  getOwnSession,
  listEnvironments,
  listMembers,
  listServiceAccountKeys,
  listWorkloadIdentities,
  type Role,
} from '@waymark/contract';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { linkIn } from '../../../server/test/mail-server.ts';
import { bothWays, type Hands } from '../hands.ts';
import { settle } from '../settle.ts';
import { openStage } from '../stage.ts';

const stage = await openStage();
const { org } = stage;

const apiOf = (apiKey: string) => createClient({ baseUrl: `${stage.url}/api/v2`, apiKey, retries: 0 });
const door = (page: Page, name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of Settings' }).getByRole('link', { name, exact: true });
const rowOf = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

/** The status that the API returns for a key. */
async function answerTo(apiKey: string): Promise<number> {
  const answer = await fetch(`${stage.url}/api/v2/environments/${org.name}?page=1&per_page=1`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return answer.status;
}

const mailsTo = (email: string) => stage.mail.received.filter(({ to }) => to.includes(email));

async function signIn(page: Page, hands: Hands, email: string): Promise<void> {
  const before = mailsTo(email).length;
  await hands.fill(page.getByLabel('Email address'), email);
  await hands.press(page.getByRole('button', { name: 'Send sign-in link' }));
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await expect.poll(() => mailsTo(email).length).toBeGreaterThan(before);
  await page.goto(linkIn(await stage.mail.mailTo(email)));
  await hands.press(page.getByRole('button', { name: 'Sign in' }));
}

/** Reads the key in the dialog, and closes it with the confirmation. */
async function takeKey(page: Page, hands: Hands, title: string): Promise<string> {
  const shown = page.getByRole('alertdialog', { name: title });
  await shown.getByText('This key is shown only once').waitFor();
  const key = (await shown.getByRole('code').first().textContent()) ?? '';
  expect(key).not.toBe('');
  const close = shown.getByRole('button', { name: 'Close' });
  expect(await close.isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await hands.press(shown.getByRole('checkbox', { name: 'I have saved the key' }));
  await hands.press(close);
  await shown.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(key);
  return key;
}

describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey('a new admin founds an org, makes a key that is shown once, and brings in a colleague by mail', async () => {
    const { page, troubles } = await stage.open();
    const hands = handsOf(page);
    const [name, nora, otto] = [
      `north-${hands.name}`,
      `nora.${hands.name}@example.com`,
      `otto.${hands.name}@example.com`,
    ];
    await page.goto('/');
    await signIn(page, hands, nora);
    await hands.fill(page.getByRole('textbox', { name: 'Org name' }), name);
    await hands.press(page.getByRole('button', { name: 'Create org' }));
    await page.waitForURL(`${stage.url}/${name}`);

    await hands.press(door(page, 'Settings'));
    await hands.press(part(page, 'Your keys'));
    await hands.press(page.getByRole('button', { name: 'Create key' }));
    const form = page.getByRole('dialog', { name: 'Create key' });
    await hands.fill(form.getByRole('textbox', { name: 'Description' }), 'My laptop');
    await hands.choose(form.getByRole('combobox', { name: /Expires/ }), 'In 30 days');
    await hands.press(form.getByRole('button', { name: 'Create key' }));
    const key = await takeKey(page, hands, 'Key My laptop');
    await rowOf(page, 'My laptop')
      .getByText(/expires in (29|30) days/)
      .waitFor();
    const { orgs } = await apiOf(key).call(getOwnSession, {});
    expect(orgs.find((each) => each.name === name)?.role).toBe('admin');

    await hands.press(part(page, 'Members'));
    await hands.press(page.getByRole('button', { name: 'Invite member' }));
    const invitation = page.getByRole('dialog', { name: `Invite member to ${name}` });
    await hands.fill(invitation.getByRole('textbox', { name: 'Email address' }), otto);
    await hands.choose(invitation.getByRole('combobox', { name: /Role/ }), 'reader');
    await hands.press(invitation.getByRole('button', { name: 'Send invitation' }));
    await rowOf(page, otto).getByText('reader').waitFor();

    const colleague = await stage.open();
    const others = handsOf(colleague.page);
    await colleague.page.goto(linkIn(await stage.mail.mailTo(otto)));
    await colleague.page.getByText(`invites you to join the org ${name} as a reader`).waitFor();
    await others.press(colleague.page.getByRole('button', { name: 'Accept and sign up' }));
    await colleague.page.waitForURL(`${stage.url}/${name}`);
    // A reader's first steps request nothing that the role does not permit.
    await colleague.page.getByRole('heading', { name: 'First steps' }).waitFor();
    await settle(colleague.page);
    await others.press(door(colleague.page, 'Environments'));
    await colleague.page.getByRole('heading', { name: 'Environments', level: 1 }).waitFor();
    const { members } = await apiOf(key).call(listMembers, { params: { org: name }, query: {} });
    expect(members.map(({ email, role }) => [email, role]).sort()).toEqual([
      [nora, 'admin'],
      [otto, 'reader'],
    ]);
    // Without a session the first response is 401, which browsers log.
    expect([...troubles, ...colleague.troubles].filter((text) => !text.includes('401'))).toEqual([]);
  });

  journey(
    'an admin creates a key for a program, rotates it without interruption, and revokes the old one',
    async () => {
      const { page, troubles } = await stage.open('ada');
      const hands = handsOf(page);
      const name = `shipper-${hands.name}`;
      await page.goto(`/${org.name}`);
      await hands.press(door(page, 'Settings'));
      await hands.press(part(page, 'Service accounts'));
      await hands.press(page.getByRole('button', { name: 'Create service account' }));
      const form = page.getByRole('dialog', { name: 'Create service account' });
      await hands.fill(form.getByRole('textbox', { name: 'Name', exact: true }), name);
      await hands.fill(form.getByRole('textbox', { name: 'Description' }), 'Ships');
      await hands.press(form.getByRole('button', { name: 'Create service account' }));
      await page.getByRole('heading', { name, level: 1 }).waitFor();

      await hands.press(page.getByRole('button', { name: 'Create key' }));
      const keyForm = page.getByRole('dialog', { name: 'Create key' });
      await hands.fill(keyForm.getByRole('textbox', { name: 'Description' }), 'deploys');
      await hands.choose(keyForm.getByRole('combobox', { name: 'Scope' }), 'Read only');
      await hands.press(keyForm.getByRole('button', { name: 'Create key' }));
      const first = await takeKey(page, hands, 'Key deploys');
      expect(await answerTo(first)).toBe(200);

      await hands.press(page.getByRole('button', { name: 'Rotate deploys' }));
      const rotation = page.getByRole('dialog', { name: 'Rotate deploys' });
      await hands.fill(rotation.getByLabel('Keep the old key valid for (hours)'), '2');
      expect(await rotation.getByRole('combobox', { name: 'Expires' }).locator('option:checked').textContent()).toBe(
        'In 90 days, valid as long as the old key',
      );
      await rotation.getByText(/^The new key expires on /).waitFor();
      await hands.press(rotation.getByRole('button', { name: 'Rotate key' }));
      const second = await takeKey(page, hands, 'New key deploys');
      expect([await answerTo(first), await answerTo(second)]).toEqual([200, 200]);

      await rowOf(page, /expires in (89|90) days/).waitFor();
      const old = rowOf(page, /replaced, rejected in [12] h/);
      expect(await old.getByRole('button', { name: 'Rotate deploys' }).count()).toBe(0);
      expect(await page.getByText('within 14 days').count()).toBe(0);
      await hands.press(old.getByRole('button', { name: 'Revoke deploys' }));
      const asked = page.getByRole('dialog', { name: 'Revoke deploys' });
      await asked.getByText('Waymark then rejects requests with this key.').waitFor();
      await hands.press(asked.getByRole('button', { name: 'Revoke key' }));
      await page.getByText('Key revoked').waitFor();
      await old.waitFor({ state: 'detached' });
      expect([await answerTo(first), await answerTo(second)]).toEqual([401, 200]);
      const left = await apiOf(org.keys.ada).call(listServiceAccountKeys, { params: { org: org.name, name } });
      expect(left.map(({ description, scope }) => [description, scope])).toEqual([['deploys', { kind: 'read' }]]);
      await rowOf(page, 'deploys').getByText('read only').waitFor();
      expect(troubles).toEqual([]);
    },
  );

  journey('an admin restores a key that was suspended when its maker lost a role', async () => {
    const { page, troubles } = await stage.open('ada');
    const hands = handsOf(page);
    const name = `kept-${hands.name}`;
    const [ada, bea] = [apiOf(org.keys.ada), apiOf(org.keys.bea)];
    const setRole = (role: Role) => ada.call(changeMember, { params: { org: org.name, login: 'bea' }, body: { role } });
    await bea.call(createServiceAccount, { params: { org: org.name }, body: { name, privilege: 'member' } });
    const body = { description: 'deploys' };
    const { key } = await bea.call(createServiceAccountKey, { params: { org: org.name, name }, body });
    await setRole('reader');
    expect(await answerTo(key)).toBe(401);

    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Settings'));
    await hands.press(part(page, 'Service accounts'));
    await rowOf(page, name).getByText('1 key suspended').waitFor();
    await hands.press(page.getByRole('link', { name }));
    await rowOf(page, 'deploys').getByText('created by bea').waitFor();
    await hands.press(page.getByRole('button', { name: 'Restore deploys' }));
    await page.getByText('Key restored').waitFor();
    await rowOf(page, 'deploys').getByText('created by ada').waitFor();
    expect(await page.getByRole('button', { name: 'Restore deploys' }).count()).toBe(0);
    expect(await answerTo(key)).toBe(200);
    await setRole('member');
    expect(troubles).toEqual([]);
  });

  journey('an admin lets the jobs of a repository in by its address, and removes the rule', async () => {
    const { page, troubles } = await stage.open('ada');
    const hands = handsOf(page);
    const repository = `acme/${hands.name}-tools`;
    const rules = () => apiOf(org.keys.ada).call(listWorkloadIdentities, { params: { org: org.name } });
    const before = await rules();
    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Settings'));
    await hands.press(part(page, 'Workload identity'));
    await hands.press(page.getByRole('button', { name: 'Add rule' }));
    const form = page.getByRole('dialog', { name: 'Add workload identity rule' });
    await hands.fill(form.getByRole('textbox', { name: 'Repository URL' }), `https://github.com/${repository}`);
    await form.getByText('Enter the repository ID').waitFor();
    await hands.fill(form.getByRole('textbox', { name: 'Repository ID' }), '424242');
    await hands.fill(form.getByRole('textbox', { name: 'Branch' }), 'release/*');
    await form.getByText(`Jobs of ${repository}, of the branch release/*`).waitFor();
    await hands.choose(form.getByRole('combobox', { name: /Service account/ }), 'ci (member)');
    await hands.fill(form.getByRole('textbox', { name: 'Flows (optional)' }), 'tools, shop');
    await hands.press(form.getByRole('button', { name: 'Add rule' }));
    const name = `acme-${hands.name}-tools-release`;
    await rowOf(page, name).getByRole('link', { name: 'ci' }).waitFor();
    await rowOf(page, name).getByText('evidence: tools, shop').waitFor();
    const added = (await rules()).find((rule) => rule.name === name);
    expect(added).toMatchObject({
      service_account: 'ci',
      issuer: 'https://token.actions.githubusercontent.com',
      claims: { repository_id: '424242', repository, ref: 'refs/heads/release/*' },
      scope: { kind: 'evidence', flows: ['tools', 'shop'] },
    });

    await hands.press(page.getByRole('button', { name: `Remove ${name}` }));
    const asked = page.getByRole('dialog', { name: `Remove ${name}` });
    await hands.press(asked.getByRole('button', { name: 'Remove rule' }));
    await rowOf(page, name).waitFor({ state: 'detached' });
    expect(await rules()).toEqual(before);
    expect(troubles).toEqual([]);
  });

  journey('an admin revokes a role, which applies at once, and finds that in the audit log', async () => {
    const { page, troubles } = await stage.open('ada');
    const hands = handsOf(page);
    const bea = await stage.open('bea');
    await bea.page.goto(`/${org.name}/policies`);
    await bea.page.getByRole('link', { name: 'Create policy' }).waitFor();
    const changeRole = async (role: string) => {
      await hands.press(page.getByRole('button', { name: 'Change role of bea' }));
      const form = page.getByRole('dialog', { name: `Role of ${org.people.bea.displayName}` });
      await hands.choose(form.getByRole('combobox', { name: /Role/ }), role);
      await hands.press(form.getByRole('button', { name: 'Change role' }));
      await rowOf(page, org.people.bea.email).getByText(role, { exact: true }).waitFor();
    };

    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Settings'));
    await page.getByText('The last admin: make another member admin first').first().waitFor();
    expect(await page.getByRole('button', { name: 'Remove ada' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Remove bea' }).isDisabled()).toBe(false);
    await changeRole('reader');
    await bea.page.reload();
    await bea.page.getByText('Requires the member role').waitFor();

    await hands.press(part(page, 'Membership log'));
    await hands.fill(page.getByRole('searchbox', { name: 'Filter by name or login' }), 'bea');
    await hands.choose(page.getByRole('combobox', { name: /Change/ }), 'Role changed');
    const newest = page.getByRole('table', { name: 'Membership log' }).getByRole('row').nth(1);
    await newest.getByText('member → reader').waitFor();
    await newest.getByText(org.people.ada.displayName).waitFor();
    const { events } = await apiOf(org.keys.ada).call(getMembershipAuditLog, { params: { org: org.name }, query: {} });
    expect(events[0]).toMatchObject({ user_login: 'bea', role: 'reader', previous_role: 'member', source: 'app' });

    await hands.press(part(page, 'Members'));
    await changeRole('member');
    await bea.page.reload();
    await bea.page.getByRole('link', { name: 'Create policy' }).waitFor();
    expect([...troubles, ...bea.troubles]).toEqual([]);
  });

  journey('a user ends a session of another browser, which is signed out at once', async () => {
    const { page, troubles } = await stage.open('carl');
    const hands = handsOf(page);
    const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const lost = (await stage.open(undefined, { userAgent })).page;
    await lost.goto('/');
    await signIn(lost, handsOf(lost), org.people.carl.email);
    await lost.waitForURL(`${stage.url}/${org.name}`);

    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Settings'));
    await hands.press(part(page, 'Your sessions'));
    await rowOf(page, 'This session').waitFor();
    await hands.press(page.getByRole('button', { name: /^End the session of Firefox on Windows/ }));
    const asked = page.getByRole('dialog', { name: 'End the session of Firefox on Windows' });
    await hands.press(asked.getByRole('button', { name: 'End session' }));
    await rowOf(page, 'Firefox on Windows').waitFor({ state: 'detached' });

    await handsOf(lost).press(door(lost, 'Policies'));
    await lost.getByLabel('Email address').waitFor();
    expect(new URL(lost.url()).pathname).toBe('/sign-in');
    await hands.press(door(page, 'Policies'));
    await page.getByRole('link', { name: 'prod-release' }).waitFor();
    expect(troubles).toEqual([]);
  });

  journey('a reader sees what can be managed, what is not permitted, and which role it takes', async () => {
    const { page, troubles } = await stage.open('carl');
    const hands = handsOf(page);
    const closed = (what: string, role: string) =>
      page.getByText(`${what} require at least the ${role} role. Your role in ${org.name} is reader.`);
    await page.goto(`/${org.name}`);
    await hands.press(door(page, 'Settings'));
    await closed('Members', 'admin').waitFor();
    await hands.press(page.getByText('Permissions by role').first());
    const line = page.getByRole('row', { name: /^Policies no/ }).getByRole('cell');
    expect(await line.allInnerTexts()).toEqual(['no', 'no', 'yes', 'yes'].map((text) => expect.stringContaining(text)));
    const tabs: readonly (readonly [string, Locator])[] = [
      ['Membership log', closed('Membership log entries', 'admin')],
      ['Service accounts', closed('Service accounts', 'member')],
      ['Workload identity', closed('Workload identity rules', 'admin')],
      ['Single sign-on', closed('Single sign-on and SCIM settings', 'admin')],
    ];
    for (const [tab, notice] of tabs) {
      await hands.press(part(page, tab));
      await notice.waitFor();
    }
    await hands.press(part(page, 'Organization'));
    await page.getByText('Requires the admin role').first().waitFor();
    expect(await page.getByRole('button', { name: 'Turn off' }).isDisabled()).toBe(true);
    await hands.press(door(page, 'Controls'));
    await page.getByText('Requires the admin role').first().waitFor();
    expect(await page.getByRole('button', { name: 'Create control' }).isDisabled()).toBe(true);
    const asReader = apiOf(org.keys.carl);
    await expect(asReader.call(listMembers, { params: { org: org.name }, query: {} })).rejects.toThrow(/admin/);
    expect(await asReader.call(listEnvironments, { params: { org: org.name }, query: { page: 1 } })).toBeDefined();
    expect(troubles).toEqual([]);
  });

  journey('an auditor reads members and the membership log once an admin shows them to every role', async () => {
    const { page, troubles } = await stage.open('ada');
    const hands = handsOf(page);
    await page.goto(`/${org.name}/settings/organization`);
    await hands.press(page.getByRole('button', { name: 'Show members to every role' }));
    await page.getByText('Members are visible to every role').waitFor();

    const carl = await stage.open('carl');
    const others = handsOf(carl.page);
    await carl.page.goto(`/${org.name}`);
    await others.press(door(carl.page, 'Settings'));
    await rowOf(carl.page, org.people.ada.email).getByText('admin', { exact: true }).waitFor();
    expect(await carl.page.getByRole('button', { name: /^(Change role|Remove|Invite)/ }).count()).toBe(0);
    expect(await carl.page.getByRole('heading', { name: 'Open invitations' }).count()).toBe(0);
    await others.press(part(carl.page, 'Membership log'));
    await rowOf(carl.page, org.people.carl.displayName).first().getByText('reader').first().waitFor();
    await carl.page.getByRole('button', { name: /CSV/ }).waitFor();

    await hands.press(page.getByRole('button', { name: 'Show members to admins only' }));
    await page.getByText('Members are visible to admins only').waitFor();
    await carl.page.reload();
    await carl.page.getByText('Membership log entries require at least the admin role.').waitFor();
    expect([...troubles, ...carl.troubles]).toEqual([]);
  });
});

it('a user signs out from the account menu', async () => {
  const { page } = await stage.open('bea');
  await page.goto(`/${org.name}`);
  await page.getByRole('button', { name: /account and preferences/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in**');
  await page.goto(`/${org.name}`);
  await page.waitForURL('**/sign-in?next=**');
});
