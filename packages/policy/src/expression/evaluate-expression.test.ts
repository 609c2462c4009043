import { describe, expect, it } from 'vitest';
import type { Scope } from '../rule.ts';
import { checkExpression } from './check-expression.ts';
import { compileExpression } from './compile-expression.ts';
import { NO_ENVIRONMENT, NO_PROVENANCE, WEB_IN_PROD } from './given-scope.ts';
import { parseExpression } from './parse-expression.ts';

/** What the case shows, the expression without `${{ }}`, what it says of the given scope. */
type Case = readonly [shows: string, expression: string, result: boolean];

const comparing: Case[] = [
  ['equal texts', 'flow.name == "web"', true],
  ['other texts', 'flow.name == "api"', false],
  ['that case counts', 'flow.name == "Web"', false],
  ['that spaces count', 'flow.name == "web "', false],
  ['single quotes', "flow.name == 'web'", true],
  ['the literal first', '"web" == flow.name', true],
  ['two names', 'flow.name == environment.name', false],
  ['two literals', '"a" == "a"', true],
  ['unequal texts', 'flow.name != "api"', true],
  ['!= of equal texts', 'flow.name != "web"', false],
  ['a fingerprint', `artifact.fingerprint == "${'a'.repeat(64)}"`, true],
  ['the name of the environment', 'environment.name == "prod"', true],
  ['a tag of the environment', 'environment.tags.region == "eu"', true],
  ['texts in order', '"abc" < "abd"', true],
  ['capitals before small letters', '"B" < "a"', true],
  ['that equal texts are <=', 'flow.name <= "web"', true],
  ['that equal texts are not <', 'flow.name < "web"', false],
  ['that texts are not ordered as numbers', '"10" < "9"', true],
  ['numbers', '2 < 10', true],
  ['numbers that are written differently', '1.50 == 1.5', true],
  ['numbers below zero', '-1 < 0', true],
  ['an escaped quote', '"a\\"b" == \'a"b\'', true],
  ['an escaped backslash', '"a\\\\b" == \'a\\b\'', true],
  ['no spaces at all', 'flow.name=="web"and"a"<"b"', true],
  ['line ends as spaces', 'flow.name\n  ==\n  "web"', true],
];

const tags: Case[] = [
  ['a tag', 'flow.tags.risk == "high"', true],
  ['a key with a dash', 'flow.tags.cost-centre == "A-1"', true],
  ['a key with a dot', 'flow.tags.team.name == "shop"', true],
  ['the shorter key as well', 'flow.tags.team == "all"', true],
  ['a dotted key that is missing, though a shorter one is there', 'flow.tags.team.lead == "all"', false],
  ['that nothing is read from within a tag', 'exists(flow.tags.team.lead)', false],
  ['a tag that looks like a number, with a number', 'flow.tags.tier == 2', true],
  ['a tag that looks like a number, with a text', 'flow.tags.tier == "2"', true],
  ['a tag in order with a number', 'environment.tags.replicas > 9', true],
  ['a tag in order with a text, as texts', 'environment.tags.replicas > "9"', false],
  ['the number first', '9 < environment.tags.replicas', true],
  ['zeros in front and at the end', 'flow.tags.score == 7.5', true],
  ['the same as text', 'flow.tags.score == "7.5"', false],
  ['a tag that is no number, with a number', 'flow.tags.risk == 2', false],
  ['a tag that is no number, not with a number', 'flow.tags.risk != 2', true],
  ['a tag that is no number, in order with one', 'flow.tags.risk > 2', false],
  ['an empty tag, which is no number', 'flow.tags.note == 0', false],
  ['an empty tag, which exists', 'exists(flow.tags.note)', true],
  ['an empty tag, which is an empty text', 'flow.tags.note == ""', true],
  ['two tags, as texts', 'flow.tags.tier == environment.tags.replicas', false],
  ['what every object has and no tag is', 'exists(flow.tags.constructor)', false],
  ['the same once more', 'flow.tags.toString == "x" or exists(flow.tags.hasOwnProperty)', false],
];

const acrossTypes: Case[] = [
  ['a text and a number are not equal', '"2" == 2', false],
  ['a text and a number are unequal', '"2" != 2', true],
  ['a text and a number have no order', '"2" < 3', false],
  ['nor the other one', '"2" >= 1', false],
  ['a name is no tag', 'flow.name == 2', false],
  ['a list of both', '2 in ["2"]', false],
];

const missing: Case[] = [
  ['a missing tag equals nothing', 'flow.tags.owner == "x"', false],
  ['a missing tag differs from everything', 'flow.tags.owner != "x"', true],
  ['a missing tag has no order', 'flow.tags.owner < "x"', false],
  ['nor the other one', 'flow.tags.owner >= "x"', false],
  ['two missing tags are not equal', 'flow.tags.owner == flow.tags.keeper', false],
  ['two missing tags are unequal', 'flow.tags.owner != flow.tags.keeper', true],
  ['a missing tag is in no list', 'flow.tags.owner in ["x"]', false],
  ['nor in one that holds what is missing', 'flow.tags.owner in [flow.tags.owner]', false],
  ['a missing tag matches nothing', 'matches(flow.tags.owner, ".*")', false],
  ['it can be asked for', 'exists(flow.tags.owner)', false],
  ['and what is there, too', 'exists(flow.tags.risk)', true],
  ['an artifact always has a name', 'exists(artifact.name)', true],
];

const combining: Case[] = [
  ['and', 'flow.name == "web" and environment.name == "prod"', true],
  ['and, of which one is false', 'flow.name == "web" and environment.name == "test"', false],
  ['or', 'flow.name == "api" or environment.name == "prod"', true],
  ['or, of which none is true', 'flow.name == "api" or environment.name == "test"', false],
  ['not', 'not flow.name == "api"', true],
  ['not, twice', 'not not flow.name == "web"', true],
  ['that not reaches over a comparison', 'not flow.name == "web"', false],
  ['that not does not reach over and', 'not flow.name == "api" and flow.name == "api"', false],
  ['parentheses after not', 'not (flow.name == "api" and flow.name == "api")', true],
  ['that not reaches over in', 'not flow.name in ["api"]', true],
  ['that and is read before or', '1 == 1 or 1 == 1 and 1 == 2', true],
  ['parentheses around or', '(1 == 1 or 1 == 1) and 1 == 2', false],
  ['many conditions in a row', Array(60).fill('1 == 1').join(' and '), true],
  ['a member of a list', 'flow.tags.risk in ["high", "medium"]', true],
  ['no member of a list', 'flow.tags.risk in ["low", "medium"]', false],
  ['a list of one number', 'flow.tags.tier in [2]', true],
  ['a list with names', 'flow.name in [environment.name, flow.name]', true],
  ['an empty list, which has no members', 'flow.name in []', false],
];

const matching: Case[] = [
  ['a pattern from the beginning', 'matches(artifact.name, "^registry")', true],
  ['a pattern anywhere', 'matches(artifact.name, "shop")', true],
  ['that only anchors make it whole', 'matches(artifact.name, "^shop$")', false],
  ['a backslash as it is', 'matches(artifact.name, ":\\d\\.\\d$")', true],
  ['a backslash in front of it', 'matches(artifact.name, ":\\\\d\\\\.\\\\d$")', true],
  ['that case counts', 'matches(flow.name, "WEB")', false],
  ['that case can be told not to count', 'matches(flow.name, "(?i)WEB")', true],
  ['alternatives', 'matches(environment.name, "^(prod|staging)$")', true],
  ['a literal text', 'matches("abc", "b")', true],
  ['an empty pattern, which is found everywhere', 'matches(flow.tags.note, "")', true],
];

const groups = { comparing, tags, acrossTypes, missing, combining, matching };

describe.each(Object.entries(groups))('%s', (_, cases) => {
  it.each(cases)('shows %s: %s', (_shows, expression, result) => {
    expect(evaluate(expression, WEB_IN_PROD)).toBe(result);
  });
});

const absent: (readonly [shows: string, expression: string, scope: Scope, result: boolean])[] = [
  ['there is a flow', 'exists(flow)', WEB_IN_PROD, true],
  ['there is no flow without provenance', 'exists(flow)', NO_PROVENANCE, false],
  ['nor its name', 'exists(flow.name)', NO_PROVENANCE, false],
  ['nor its tags', 'exists(flow.tags.risk)', NO_PROVENANCE, false],
  ['its name equals nothing', 'flow.name == "web"', NO_PROVENANCE, false],
  ['its name differs from everything', 'flow.name != "web"', NO_PROVENANCE, true],
  ['not turns that around', 'not flow.name == "web"', NO_PROVENANCE, true],
  ['the artifact is there all the same', 'matches(artifact.name, "shop")', NO_PROVENANCE, true],
  ['there is an environment', 'exists(environment)', WEB_IN_PROD, true],
  ['there may be none', 'exists(environment)', NO_ENVIRONMENT, false],
  ['then its name equals nothing', 'environment.name == "prod"', NO_ENVIRONMENT, false],
  ['and it has no tags', 'environment.tags.region != "eu"', NO_ENVIRONMENT, true],
];

describe('what is not there', () => {
  it.each(absent)('%s: %s', (_shows, expression, scope, result) => {
    expect(evaluate(expression, scope)).toBe(result);
  });
});

function evaluate(expression: string, scope: Scope): boolean {
  const parsed = parseExpression(`\${{ ${expression} }}`);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  expect(checkExpression(parsed.expression)).toEqual([]);
  return compileExpression(parsed.expression)(scope);
}
