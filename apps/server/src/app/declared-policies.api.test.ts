import { archivePolicy, getPolicy, listPolicies, type Policy } from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { TEXTS } from '../../test/given/declared.ts';
import { sendForm } from '../../test/given/evidence.ts';
import { policyText, REQUIRES_PROVENANCE } from '../../test/given/policies.ts';
import { type Answer, startApi } from '../../test/harness.ts';

const api = await startApi();
let name = '';
let count = 0;
beforeEach(() => {
  name = `policy-${++count}`;
});

const put = (payload: object, content: string = REQUIRES_PROVENANCE) =>
  sendForm(
    api,
    'PUT',
    '/policies/acme',
    { payload: { name, type: 'env', ...payload } },
    { part: 'policy_file', name: 'policy.yaml', content },
  );
const get = () => api.call(getPolicy, { params: { name } }) as Promise<Answer<Policy>>;
const newest = async () => (await get()).body.versions.at(-1);

const CONTENTS = [
  REQUIRES_PROVENANCE,
  REQUIRES_PROVENANCE.trimEnd(),
  REQUIRES_PROVENANCE.replaceAll('\n', '\r\n'),
  `# ünï 漢字 🚀\n\n${policyText('attestations:\n  - { name: zeta, type: generic }\n  - { name: alpha, type: junit }')}\n\n`,
];

describe('a policy as a declared resource', () => {
  it('is read back by its name alone as it was created, and is listed the same', async () => {
    expect((await put({ description: 'what prod needs', comment: 'first' })).status).toBe(201);
    const { status, body } = await get();
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        name,
        description: 'what prod needs',
        archived: false,
        versions: [{ version: 1, comment: 'first', policy_yaml: REQUIRES_PROVENANCE }],
      },
    });
    const listed = (await api.call(listPolicies)).body as Policy[];
    expect(listed.find((policy) => policy.name === name)).toMatchObject({ description: 'what prod needs' });
  });

  it.each(CONTENTS)('keeps its text byte for byte: %j', async (content) => {
    await put({ description: '' }, content);
    expect(await newest()).toMatchObject({ version: 1, policy_yaml: content });
  });

  it('has a version for each text, oldest first, and none for a repeat', async () => {
    for (const content of CONTENTS) await put({ description: '' }, content);
    expect((await put({ description: '' }, CONTENTS.at(-1))).status).toBe(200);
    const { versions } = (await get()).body;
    expect(versions.map(({ version, policy_yaml }) => [version, policy_yaml])).toEqual(
      CONTENTS.map((content, i) => [i + 1, content]),
    );
  });

  it.each(TEXTS)('keeps a description byte for byte: %j', async (description) => {
    await put({ description });
    expect((await get()).body.description).toBe(description);
  });

  it('has an empty description when none is given, and keeps the one it has', async () => {
    for (const description of [undefined, null, '']) await put({ description });
    expect((await get()).body.description).toBe('');
    await put({ description: 'given' });
    for (const description of [undefined, null]) await put({ description });
    expect((await get()).body.description).toBe('given');
  });

  it('is not listed once it is archived, and can be created again', async () => {
    await put({ description: 'old' });
    expect((await api.call(archivePolicy, { params: { name } })).status).toBe(200);
    const listed = (await api.call(listPolicies)).body as Policy[];
    expect(listed.some((policy) => policy.name === name)).toBe(false);
    expect((await put({ description: 'new' })).status).toBe(201);
    expect((await get()).body).toMatchObject({ description: 'new', archived: false, versions: [{ version: 1 }] });
  });
});
