import { expect, it } from 'vitest';
import { conditionInWords } from './condition-in-words.ts';

it.each([
  ['exists(flow)', 'the artifact has provenance'],
  ['not exists(flow)', 'the artifact has no provenance'],
  ['exists(flow.tags.risk)', "the flow has tag 'risk'"],
  ['flow.name == "web"', "the flow is 'web'"],
  ['flow.tags.risk != "low"', "tag 'risk' of the flow is not 'low'"],
  ['flow.tags.a.b == "c"', "tag 'a.b' of the flow is 'c'"],
  ['environment.name in ["prod", "eu", "us"]', "the environment is 'prod', 'eu' or 'us'"],
  ['artifact.name == "x" or artifact.name == "y"', "the artifact's name is 'x' or the artifact's name is 'y'"],
  ['matches(artifact.name, "^ghcr.io/")', "the artifact's name matches '^ghcr.io/'"],
  ['flow.tags.tier >= 2', "tag 'tier' of the flow is at least 2"],
])('%s is said as: %s', (expression, words) => {
  expect(conditionInWords(`\${{ ${expression} }}`)).toBe(words);
});

it.each([
  'exists(flow) and (flow.name == "a" or flow.name == "b")',
  'not flow.name == "a"',
  '"a" == flow.name',
  'environment.name in ["a", "b", "c", "d"]',
  'not an expression',
])('%s stays as it was written, without the braces', (expression) => {
  expect(conditionInWords(`\${{ ${expression} }}`)).toBe(expression);
});
