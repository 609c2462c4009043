import { expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import { attested, trailOf } from './trail-examples.ts';

it.each([
  ['junit', 'Run and repair the tests'],
  ['snyk', 'Remove the findings'],
  ['sonar', 'Pass the quality gate'],
  ['jira', 'Name issues that exist'],
  ['pull_request', 'Have the commit reviewed in a pull request'],
  ['decision', 'Have the control decided anew'],
  ['in_toto', 'Sign it again with a key or identity that the org trusts'],
  ['sbom', 'Put the bill of materials in order'],
  ['custom:coverage', "Make the data meet the rules of type 'coverage'"],
  ['generic', "Put right what 'check' found"],
  ['constructor', "Put right what 'check' found"],
])('says what to do about %s that fails', (type, step) => {
  const trail = trailOf({ attestations: [attested(1, 'check', type, false)] });
  expect(judgeTrail(trail).explanation.fix).toBe(`${step} and report 'check' again, or override it with a reason.`);
});
