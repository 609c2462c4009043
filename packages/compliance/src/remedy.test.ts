import { expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import { attested, trailOf } from './trail-examples.ts';

it.each([
  ['junit', 'Run and fix the tests'],
  ['snyk', 'Fix the findings'],
  ['sonar', 'Pass the quality gate'],
  ['jira', 'Reference existing issues'],
  ['pull_request', 'Review the commit in a pull request'],
  ['decision', 'Decide the control again'],
  ['in_toto', 'Sign it again with a key or identity that the org trusts'],
  ['sbom', 'Fix the SBOM'],
  ['custom:coverage', "Make the data satisfy the rules of type 'coverage'"],
  ['generic', "Fix what 'check' found"],
  ['constructor', "Fix what 'check' found"],
])('says what to do about %s that fails', (type, step) => {
  const trail = trailOf({ attestations: [attested(1, 'check', type, false)] });
  expect(judgeTrail(trail).explanation.fix).toBe(`${step} and report 'check' again, or override it with a reason.`);
});
