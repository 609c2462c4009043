import { attest, fingerprint, givenArtifact, givenFlow } from '../../server/test/given/evidence.ts';
import { givenPolicy, REQUIRES_TESTS } from '../../server/test/given/policies.ts';
import type { TestApi } from '../../server/test/harness.ts';

/** Artifacts `a`, whose tests passed, and `b`, whose tests did not, and the policy `tested` that asks for passed ones. */
export async function givenTested(api: TestApi): Promise<void> {
  await givenFlow(api, 'shop', 'version: 1\n');
  for (const digit of ['a', 'b']) {
    await givenArtifact(api, 'shop', digit, { trail_name: `t-${digit}` });
    await attest(api, 'shop', `t-${digit}`, {
      attestation_name: 'unit-tests',
      is_compliant: digit === 'a',
      artifact_fingerprint: fingerprint(digit),
    });
  }
  await givenPolicy(api, 'tested', REQUIRES_TESTS);
}
