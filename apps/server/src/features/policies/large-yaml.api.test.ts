import { beginTrail, listFlows, putFlow, putPolicy, simulatePolicy, validatePolicy } from '@waymark/contract';
import { expect, it } from 'vitest';
import { attestationPolicy } from '../../../test/given/policies.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const other = await api.givenOrg('other');

const ONE_KEY_OFTEN = '? a\n'.repeat(16_000);

interface Validated {
  readonly valid: boolean;
  readonly problems: readonly { readonly message: string; readonly line: number }[];
}

const validate = (policy_yaml: string) =>
  api.call(validatePolicy, { body: { policy_yaml }, key: api.org.keys.reader }) as Promise<Answer<Validated>>;

/** Runs work and checks that the sandbox did it: its queue counts the jobs. */
async function inSandbox<T>(work: () => Promise<T>): Promise<{ answer: T; jobs: number }> {
  const before = api.parts.sandbox.figures().admitted;
  const answer = await work();
  return { answer, jobs: api.parts.sandbox.figures().admitted - before };
}

it.each([
  ['one key often', ONE_KEY_OFTEN],
  ['keys without values', `{${'k,'.repeat(32_000)}}`],
  ['anchors', '- &a 1\n'.repeat(9_000)],
  ['brackets', '['.repeat(64_000)],
])('64 KiB of YAML are read away from the main thread, and the first problems are reported: %s', async (_, text) => {
  const { answer, jobs } = await inSandbox(() => validate(text));
  expect(answer).toMatchObject({ status: 200, body: { valid: false } });
  expect(answer.body.problems.length).toBeLessThanOrEqual(50);
  expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
  // Too many lines are detected without parsing.
  const isLong = text.split('\n').length > 5_000;
  expect(jobs).toBe(isLong ? 0 : 1);
});

it('a small one takes no turn in the sandbox', async () => {
  const { answer, jobs } = await inSandbox(() => validate(attestationPolicy('{ name: tests, type: generic }')));
  expect(answer.body).toEqual({ valid: true, problems: [] });
  expect(jobs).toBe(0);
});

it('a large policy that is sound is saved', async () => {
  const rules = Array.from(
    { length: 200 },
    (_, number) =>
      `{ name: check-${number}, type: generic, if: '\${{ ${'flow.name != "a" and '.repeat(8)} exists(flow) }}' }`,
  );
  const policy_yaml = attestationPolicy(...rules);
  expect(policy_yaml.length).toBeGreaterThan(40_000);
  const { answer, jobs } = await inSandbox(() =>
    api.call(putPolicy, { params: { name: 'large' }, body: { policy_yaml } }),
  );
  expect([answer.status, jobs]).toEqual([201, 1]);
});

it('is refused wherever YAML is taken', async () => {
  const text = `{${'k,'.repeat(32_000)}}`;
  const answers = [
    await api.call(putPolicy, { params: { name: 'p' }, body: { policy_yaml: text } }),
    await api.call(simulatePolicy, { body: { policy_yaml: text } as never }),
    await api.call(putFlow, { body: { name: 'web', template: text } as never }),
  ];
  await api.call(putFlow, { body: { name: 'web' } as never });
  answers.push(
    await api.call(beginTrail, { params: { flow_name: 'web' }, body: { name: 't', template: text } as never }),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('twice');
    expect(JSON.stringify(body).length).toBeLessThan(20_000);
  }
});

it('many readers of one org do not keep another from being answered', async () => {
  const asked = Array.from({ length: 16 }, () => validate(`{${'k,'.repeat(32_000)}}`));
  const answered = await api.call(listFlows, { params: { org: other.name }, key: other.keys.reader });
  const waiting = api.parts.sandbox.figures();
  expect(answered.status).toBe(200);
  expect(waiting.running + waiting.waiting).toBeGreaterThan(0);
  for (const { status } of await Promise.all(asked)) expect([200, 503]).toContain(status);
});
