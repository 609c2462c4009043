import { createClient } from '@waymark/client';
import {
  archiveFlow,
  createOrganization,
  explainEnvironment,
  getEnvironment,
  listArtifacts,
  listAttestations,
  listEnvironments,
  listFlows,
  listPolicies,
  listSnapshots,
  listTrails,
  putPolicy,
} from '@waymark/contract';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addSample, removeSample } from '../../src/pages/home/sample/sample-data.ts';
import { SAMPLE } from '../../src/pages/home/sample/sample-names.ts';
import { bothWays } from '../hands.ts';
import { panel } from '../landmarks.ts';
import { openStage } from '../stage.ts';

const stage = await openStage();
const baseUrl = `${stage.url}/api/v2`;
const ada = createClient({ baseUrl, apiKey: stage.org.keys.ada, retries: 0 });

async function givenEmptyOrg(name: string): Promise<string> {
  await ada.call(createOrganization, { body: { name } });
  return name;
}

const inSample = (org: string) => ({ org, env_name: SAMPLE.environment });

/** What of the sample can be read: nothing is in it twice. */
async function countsOf(org: string): Promise<readonly number[]> {
  const params = { org };
  const { data } = await ada.call(listAttestations, { params, query: { flow: SAMPLE.flow } });
  const [artifacts, trails, snapshots] = await Promise.all([
    ada.call(listArtifacts, { params, query: { flow_name: SAMPLE.flow } }),
    ada.call(listTrails, { params, query: { flow: SAMPLE.flow } }),
    ada.call(listSnapshots, { params: inSample(org), query: { page: 1 } }),
  ]);
  return [data.length, artifacts.length, rowsIn(trails).length, rowsIn(snapshots).length];
}

function rowsIn(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  const list = Object.values(reply as object).find((value) => Array.isArray(value));
  return list ?? [];
}

const titles = (page: Page) => panel(page, 'First steps').getByRole('heading', { level: 3 }).allInnerTexts();

describe.each(bothWays)('%s', (_, handsOf, journey) => {
  journey('an empty org gets sample data, sees a verdict and its reason, and archives the sample again', async () => {
    const { page, troubles } = await stage.open('ada');
    const hands = handsOf(page);
    const org = await givenEmptyOrg(`sampled-${hands.name}`);
    await page.goto(`/${org}`);
    await panel(page, 'First steps').getByText('Look around first').waitFor();
    const before = await titles(page);

    await hands.press(page.getByRole('button', { name: 'Add sample data' }));
    await page.getByText('Sample data added').waitFor();
    const sample = panel(page, 'Sample data');
    const why = sample.getByRole('link', { name: `Why is ${SAMPLE.environment} non-compliant?` });
    await why.waitFor();
    // It counts for no step, and is offered once.
    expect((await titles(page)).join()).not.toContain('done');
    expect(await page.getByRole('button', { name: 'Add sample data' }).count()).toBe(0);
    await hands.press(why);
    await page.getByRole('heading', { name: `Why ${SAMPLE.environment} is non-compliant` }).waitFor();
    await page.getByText("report 'unit-tests' again in trail 'sample-release-2'").first().waitFor();
    expect(await countsOf(org)).toEqual([4, 2, 2, 1]);

    await page.goBack();
    await hands.press(sample.getByRole('button', { name: 'Remove sample data' }));
    const asked = page.getByRole('dialog', { name: 'Remove sample data' });
    await asked.getByText('Records are never deleted').waitFor();
    await hands.press(asked.getByRole('button', { name: 'Archive sample data' }));
    await page.getByText('Sample data archived').waitFor();
    await page.getByRole('button', { name: 'Add sample data' }).waitFor();
    expect(await titles(page)).toEqual(before);
    expect(await sample.count()).toBe(0);
    expect(await ada.call(listFlows, { params: { org }, query: {} })).toEqual([]);
    expect(await ada.call(listEnvironments, { params: { org }, query: {} })).toEqual([]);
    expect(await ada.call(listPolicies, { params: { org }, query: {} })).toEqual([]);
    expect(troubles).toEqual([]);
  });
});

/** Lets some requests through, and then none, as when a laptop is closed. */
function cutOffAfter(requests: number) {
  let left = requests;
  return createClient({
    ...{ baseUrl, apiKey: stage.org.keys.ada, retries: 0 },
    fetch: (input, init) => (left-- > 0 ? fetch(input, init) : Promise.reject(new TypeError('cut off'))),
  });
}

it.each([4, 8, 11, 14, 17])(
  'sample data that was cut off after %i requests is completed without repeats',
  async (n) => {
    const org = await givenEmptyOrg(`cut-off-${n}`);
    const cutOff = cutOffAfter(n);
    await expect(addSample((contract, input) => cutOff.call(contract, input), org)).rejects.toThrow();
    const call: Parameters<typeof addSample>[0] = (contract, input) => ada.call(contract, input);
    await addSample(call, org);
    await addSample(call, org);
    expect(await countsOf(org)).toEqual([4, 2, 2, 1]);
    expect(await ada.call(getEnvironment, { params: inSample(org) })).toMatchObject({ compliance: 'non-compliant' });
    const explained = await ada.call(explainEnvironment, { params: inSample(org), query: {} });
    expect(JSON.stringify(explained)).toContain('sample-release-2');

    const cutOffAgain = cutOffAfter(4);
    await expect(removeSample((contract, input) => cutOffAgain.call(contract, input), org)).rejects.toThrow();
    await removeSample(call, org);
    await removeSample(call, org);
    expect(await ada.call(listFlows, { params: { org }, query: {} })).toEqual([]);
    // What is archived stays on record, and the sample can be added again.
    await addSample(call, org);
    expect(await countsOf(org)).toEqual([4, 2, 2, 1]);
  },
);

it('sample data changes nothing that somebody made under one of its names', async () => {
  const org = await givenEmptyOrg('taken-names');
  const call: Parameters<typeof addSample>[0] = (contract, input) => ada.call(contract, input);
  const policy_yaml = '_schema: https://example.com/policy/v1\n';
  await ada.call(putPolicy, { params: { org, name: SAMPLE.policy }, body: { policy_yaml, description: 'Ours' } });
  await expect(addSample(call, org)).rejects.toThrow("the policy 'sample-policy' exists and is not sample data");
  await removeSample(call, org);
  const [own] = await ada.call(listPolicies, { params: { org }, query: {} });
  expect(own).toMatchObject({ description: 'Ours', archived: false });
  expect(await ada.call(listFlows, { params: { org }, query: {} })).toEqual([]);
  await expect(ada.call(archiveFlow, { params: { org, flow_name: SAMPLE.flow } })).rejects.toThrow();
});
