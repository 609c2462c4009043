import {
  type AttestationType,
  archiveAttestationType,
  getAttestationType,
  listAttestationTypes,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { TEXTS } from '../../test/given/declared.ts';
import { sendForm } from '../../test/given/evidence.ts';
import { type Answer, startApi } from '../../test/harness.ts';

const api = await startApi();
let name = '';
let count = 0;
beforeEach(() => {
  name = `type-${++count}`;
});

const SCHEMA = {
  type: 'object',
  properties: { zeta: { type: 'number' }, alpha: { type: 'string', description: 'ünï 🚀\n' } },
  required: ['zeta', 'alpha'],
};

const post = (data: object, schema?: unknown) =>
  sendForm(
    api,
    'POST',
    '/custom-attestation-types/acme',
    { data_json: { name, ...data } },
    schema === undefined
      ? undefined
      : { part: 'type_schema', name: 'schema.json', content: JSON.stringify(schema, null, 2) },
  );
const get = () => api.call(getAttestationType, { params: { name } }) as Promise<Answer<AttestationType>>;
const newest = async () => (await get()).body.versions[0];
const jq = (...rules: string[]) => ({ evaluator: { content_type: 'jq', rules } });

describe('an attestation type as a declared resource', () => {
  it('is read back by its name alone as it was created, and is listed the same', async () => {
    const rules = ['.zeta > 5', '.alpha == "x"', '.alpha != "y"'];
    expect((await post({ description: 'coverage', ...jq(...rules) }, SCHEMA)).status).toBe(201);
    const { status, body } = await get();
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        name,
        description: 'coverage',
        archived: false,
        versions: [{ version: 1, type_schema: SCHEMA, evaluator: { content_type: 'jq', rules } }],
      },
    });
    const listed = (await api.call(listAttestationTypes)).body as AttestationType[];
    expect(listed.find((type) => type.name === name)).toMatchObject({ description: 'coverage' });
  });

  it('keeps rules in the order given, and gets a newer version first for each change', async () => {
    await post({ description: '', ...jq('.b', '.a') }, SCHEMA);
    expect((await post({ description: '', ...jq('.a', '.b') }, SCHEMA)).status).toBe(201);
    expect((await get()).body.versions).toMatchObject([
      { version: 2, evaluator: { rules: ['.a', '.b'] } },
      { version: 1, evaluator: { rules: ['.b', '.a'] } },
    ]);
  });

  it('keeps rules byte for byte', async () => {
    const rules = ['  .a == "ünï 🚀"  ', '.b\n  | length > 0\n', '.c == "\\r\\n" # why'];
    await post({ description: '', ...jq(...rules) });
    expect((await newest())?.evaluator).toEqual({ content_type: 'jq', rules });
  });

  it('has no schema and no rules when they are absent or null', async () => {
    await post({ description: '' });
    expect(await newest()).toMatchObject({ type_schema: null, evaluator: { content_type: 'default' } });
    await post({ description: '', ...jq('.a') }, null);
    expect(await newest()).toMatchObject({ type_schema: null, evaluator: { content_type: 'jq', rules: ['.a'] } });
  });

  it('loses its schema in a version without one', async () => {
    await post({ description: '', ...jq('.a') }, SCHEMA);
    await post({ description: '', ...jq('.a') });
    expect((await get()).body.versions).toMatchObject([{ type_schema: null }, { type_schema: SCHEMA }]);
  });

  it.each(TEXTS)('keeps a description byte for byte: %j', async (description) => {
    await post({ description, ...jq('.a') });
    expect((await get()).body.description).toBe(description);
  });

  it('has no description when it is absent, null or empty', async () => {
    for (const description of [undefined, null, '']) {
      await post({ description });
      expect((await get()).body).not.toHaveProperty('description');
    }
  });

  it('is archived once it is destroyed, and can be created again', async () => {
    await post({ description: 'old', ...jq('.a') });
    expect((await api.call(archiveAttestationType, { params: { name } })).status).toBe(200);
    expect(await get()).toMatchObject({ status: 200, body: { archived: true } });
    expect((await post({ description: 'new', ...jq('.b') })).status).toBe(201);
    expect((await get()).body).toMatchObject({ archived: false, description: 'new', versions: [{ version: 1 }] });
  });
});
