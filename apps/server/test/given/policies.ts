import { attachPolicies, getPolicy, type Policy, putPolicy } from '@waymark/contract';
import type { Answer, TestApi, TestOrg } from '../harness.ts';

const SCHEMA = '_schema: https://compliance.example.com/schemas/policy/v1';

/** The `artifacts` section as it is written in YAML. */
export function policyText(artifacts: string): string {
  return `${SCHEMA}\nartifacts:\n${artifacts.replaceAll(/^/gm, '  ')}\n`;
}

export const REQUIRES_PROVENANCE = policyText('provenance: { required: true }');
export const REQUIRES_TESTS = policyText('attestations:\n  - { name: unit-tests, type: generic }');

/** A policy of rules about attestations. */
export function attestationPolicy(...rules: string[]): string {
  return policyText(['attestations:', ...rules.map((rule) => `  - ${rule}`)].join('\n'));
}

export async function givenPolicy(
  api: TestApi,
  name: string,
  policy_yaml = REQUIRES_PROVENANCE,
  org: TestOrg = api.org,
): Promise<Answer<Policy>> {
  const answer = (await api.call(putPolicy, {
    params: { org: org.name, name },
    key: org.keys.member,
    body: { policy_yaml },
  })) as Answer<Policy>;
  if (answer.status !== 201 && answer.status !== 200) {
    throw new Error(`the policy was not put: ${JSON.stringify(answer.body)}`);
  }
  return answer;
}

export async function policyNamed(api: TestApi, name: string, org: TestOrg = api.org): Promise<Policy> {
  const call = { params: { org: org.name, name }, key: org.keys.reader };
  const answer = (await api.call(getPolicy, call)) as Answer<Policy>;
  if (answer.status !== 200) throw new Error(`there is no such policy: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export async function givenAttached(
  api: TestApi,
  environment: string,
  policies: string[],
  org: TestOrg = api.org,
): Promise<void> {
  const answer = await api.call(attachPolicies, {
    params: { org: org.name, env_name: environment },
    key: org.keys.member,
    body: { policy_names: policies },
  });
  if (answer.status !== 200) throw new Error(`the policies were not attached: ${JSON.stringify(answer.body)}`);
}
