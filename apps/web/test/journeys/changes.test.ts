import { ApprovalRequiredError, createClient } from '@waymark/client';
import { changeMember, getOrganization, getPolicy, POLICY_EXAMPLE, putPolicy } from '@waymark/contract';
import { describe, expect } from 'vitest';
import { bothWays } from '../hands.ts';
import { openStage } from '../stage.ts';

const stage = await openStage();
const { org } = stage;
const params = { org: org.name };

const apiOf = (apiKey: string) => createClient({ baseUrl: `${stage.url}/api/v2`, apiKey, retries: 0 });
await apiOf(org.keys.ada).call(changeMember, { params: { ...params, login: 'carl' }, body: { role: 'admin' } });

const setControl = (mode: 'off' | 'two_people') =>
  stage.db.updateTable('org').set({ change_control: mode }).where('name', '=', org.name).execute();

/** Requests a change as a member, and returns the id of the pending request. */
async function ask(name: string): Promise<string> {
  const body = { policy_yaml: POLICY_EXAMPLE };
  const held = await apiOf(org.keys.bea)
    .call(putPolicy, { params: { ...params, name }, body })
    .catch((error: unknown) => error);
  if (!(held instanceof ApprovalRequiredError)) throw held;
  return held.changeRequest.id;
}

describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey('an admin requires two people for changes, and cannot turn that off alone', async () => {
    await setControl('off');
    const { page, troubles } = await stage.open('ada');
    const hands = handsOf(page);
    await page.goto(`/${org.name}/settings/organization`);
    const panel = page.getByRole('region', { name: 'Change control' });
    await hands.choose(panel.getByRole('combobox', { name: 'Change control' }), 'Two people');
    await hands.press(panel.getByRole('button', { name: 'Save change control' }));
    await page.getByText('Change control: Two people').waitFor();
    expect((await apiOf(org.keys.ada).call(getOrganization, { params })).change_control).toBe('two_people');

    await hands.choose(panel.getByRole('combobox', { name: 'Change control' }), 'Off');
    await hands.press(panel.getByRole('button', { name: 'Save change control' }));
    await panel.getByText(/another admin has to approve this change/).waitFor();
    await hands.press(panel.getByRole('link', { name: 'Change requests' }));
    await hands.press(page.getByRole('link', { name: org.name, exact: true }).last());
    await page.getByText('change_control: off').first().waitFor();
    await hands.press(page.getByRole('button', { name: 'Withdraw change' }));
    await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Withdraw change' }));
    await page.getByText('Change withdrawn.').waitFor();
    expect((await apiOf(org.keys.ada).call(getOrganization, { params })).change_control).toBe('two_people');
    expect(troubles).toEqual([]);
  });

  journey('an admin finds a change on the home page, reviews it, and approves it', async () => {
    await setControl('two_people');
    const { page, troubles } = await stage.open('ada');
    const hands = handsOf(page);
    const name = `approved-${hands.name}`;
    await ask(name);
    await page.goto(`/${org.name}`);
    await page.getByText('1 change awaits approval').waitFor();
    await hands.press(page.getByRole('link', { name: 'Review change' }));
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByText('It does not exist yet').waitFor();
    await page.getByText('name: unit-tests').first().waitFor();
    await hands.press(page.getByRole('button', { name: 'Approve change' }));
    await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Approve change' }));
    await page.getByText('Change approved and applied.').waitFor();
    const policy = await apiOf(org.keys.carl).call(getPolicy, { params: { ...params, name } });
    expect(policy).toMatchObject({ created_by: 'bea', versions: [{ version: 1 }] });
    expect(troubles).toEqual([]);
  });

  journey('an admin rejects a change with a reason that its author reads', async () => {
    await setControl('two_people');
    const [{ page, troubles }, asker] = [await stage.open('ada'), await stage.open('bea')];
    const hands = handsOf(page);
    const id = await ask(`refused-${hands.name}`);
    await page.goto(`/${org.name}/changes/${id}`);
    await hands.press(page.getByRole('button', { name: 'Refuse change' }));
    await hands.fill(page.getByRole('textbox', { name: 'Reason' }), 'Wait for the audit');
    await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Refuse change' }));
    await page.getByText('Change refused.').waitFor();
    await asker.page.goto(`/${org.name}/changes/${id}`);
    await asker.page.getByText('Wait for the audit').waitFor();
    expect(await asker.page.getByRole('button', { name: 'Approve change' }).count()).toBe(0);
    expect([...troubles, ...asker.troubles]).toEqual([]);
  });
});
