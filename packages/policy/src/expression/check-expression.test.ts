import { describe, expect, it } from 'vitest';
import { checkExpression } from './check-expression.ts';
import { parseExpression } from './parse-expression.ts';

/** The expression without `${{ }}`, and each problem with the column that it is found at, counted within the text. */
type Case = readonly [expression: string, ...problems: string[]];

const NAMES =
  'flow.name, artifact.name, artifact.fingerprint, environment.name, flow.tags.<key>, environment.tags.<key>';

const notTrueOrFalse: Case[] = [
  ['"a"', '1: This is a text, not true or false; compare it with something.'],
  ['42', '1: This is a number, not true or false; compare it with something.'],
  ['["a"]', '1: This is a list, not true or false; test for a member, as in: flow.name in ["web", "api"].'],
  ['flow.name', '1: "flow.name" is a text, not true or false; compare it, as in: flow.name == "…".'],
  ['flow.tags.risk', '1: "flow.tags.risk" is a text, not true or false; compare it, as in: flow.tags.risk == "…".'],
  ['flow', '1: "flow" is more than one value, not true or false; use exists(flow), or compare flow.name.'],
  ['not flow.name', '5: "flow.name" is a text, not true or false; compare it, as in: flow.name == "…".'],
  ['exists(flow) and "a"', '18: This is a text, not true or false; compare it with something.'],
  [
    'flow.name or environment.name',
    '1: "flow.name" is a text, not true or false; compare it, as in: flow.name == "…".',
    '14: "environment.name" is a text, not true or false; compare it, as in: environment.name == "…".',
  ],
];

const notComparable: Case[] = [
  [
    'flow == "a"',
    '1: "==" compares texts and numbers, but "flow" is more than one value; use exists(flow), or compare flow.name.',
  ],
  ['flow.name == ["a"]', '14: "==" compares texts and numbers, not a list; test for a member with "in".'],
  ['exists(flow) == (1 < 2)', ...[1, 18].map((at) => `${at}: "==" compares texts and numbers, not conditions.`)],
  ['flow.name in "a"', '11: "in" needs a list after it, as in: flow.name in ["web", "api"].'],
  ['flow.name in flow.tags.names', '11: "in" needs a list after it, as in: flow.name in ["web", "api"].'],
  ['["a"] in ["a"]', '1: "in" compares texts and numbers, not a list; test for a member with "in".'],
  ['flow.name in [["a"]]', '15: A list contains texts and numbers, not a list; test for a member with "in".'],
];

const unknownNames: Case[] = [
  ['flow.nme == "a"', `1: Unknown name "flow.nme"; there are ${NAMES}. Did you mean "flow.name"?`],
  ['Flow.Name == "a"', `1: Unknown name "Flow.Name"; there are ${NAMES}. Did you mean "flow.name"?`],
  ['flow.tag.risk == "a"', `1: Unknown name "flow.tag.risk"; there are ${NAMES}. Did you mean "flow.tags.risk"?`],
  ['trail.name == "a"', `1: Unknown name "trail.name"; there are ${NAMES}.`],
  ['web == flow.name', `1: Unknown name "web"; there are ${NAMES}.`],
  ['flow.name.length == 3', `1: Unknown name "flow.name.length"; there are ${NAMES}.`],
  ['flow.__proto__ == "a"', `1: Unknown name "flow.__proto__"; there are ${NAMES}.`],
  ['flow.tags == "a"', '1: Name the tag, as in: flow.tags.risk.'],
  ['exists(environment.tags)', '8: Name the tag, as in: environment.tags.risk.'],
  ['flow.tags.-a == "a"', '1: The key of a tag begins with a letter or a digit: "-a".'],
  ['artifact.tags.risk == "a"', '1: Artifacts have no tags; flow.tags.<key> and environment.tags.<key> exist.'],
  ['exists(artifact)', '8: Name a property of the artifact: artifact.name or artifact.fingerprint.'],
  ['true', '1: There is no "true" here; write the condition itself, such as exists(flow.tags.risk).'],
  ['flow.name != null', '14: There is no "null" here; write the condition itself, such as exists(flow.tags.risk).'],
];

const functions: Case[] = [
  ['exists()', '1: "exists" takes one name, as in: exists(flow.tags.risk).'],
  ['exists(flow, flow)', '1: "exists" takes one name, as in: exists(flow.tags.risk).'],
  ['exists("flow")', '8: "exists" takes the name of what may be missing, as in: exists(flow.tags.risk).'],
  ['matches(flow.name)', '1: "matches" takes a text and a pattern, as in: matches(artifact.name, "^vendor/").'],
  ['matches(2, "2")', '9: "matches" looks for a pattern in a text, but this is a number.'],
  ['matches(flow.name, flow.tags.x)', '20: The pattern must be written out, in quotes.'],
  ['matches(flow.name, "(a")', '20: The pattern cannot be used: in "(a" something is not closed.'],
  [
    'matches(flow.name, "a(?=b)")',
    '20: The pattern cannot be used: "(?=" is not RE2 syntax, which has no lookarounds and backreferences.',
  ],
  [
    'matches(flow.name, "(a)\\1")',
    '20: The pattern cannot be used: "\\\\1" is not RE2 syntax, which has no lookarounds and backreferences.',
  ],
  [
    'matches(flow.name, "a{600}b{600}")',
    '20: The pattern has 1202 steps, and the maximum is 200; use fewer repetitions, or split it in two joined with "or".',
  ],
  [
    'exist(flow)',
    '1: There is no function "exist"; there are exists(name) and matches(text, "pattern"). Did you mean "exists"?',
  ],
  [
    'startsWith(flow.name, "a")',
    '1: There is no function "startsWith"; there are exists(name) and matches(text, "pattern").',
  ],
];

const syntax: Case[] = [
  ['flow.name = "a"', '11: Compare two values with "==", not "=".'],
  ['exists(flow) && exists(environment)', '14: Write "and", not "&&".'],
  ['exists(flow) || exists(environment)', '14: Write "or", not "||".'],
  ['!exists(flow)', '1: Write "not", not "!".'],
  ['exists(flow) AND exists(environment)', '14: Write "and" in lower case.'],
  ['flow.name not in ["a"]', '11: Write "not" in front of the whole comparison, as in: not flow.name in ["a", "b"].'],
  ['flow.name == not exists(flow)', '14: Put "not" and what follows it in parentheses.'],
  ['1 < 2 < 3', '7: Comparisons cannot be chained; join two of them with "and".'],
  ['flow.name ==', '14: The expression breaks off here; something is missing before "}}".'],
  ['and exists(flow)', '1: Something is missing before "and": a name, a text in quotes, a number or a list.'],
  ['()', '2: Something is missing before ")": a name, a text in quotes, a number or a list.'],
  ['["a",]', '6: Something is missing before "]": a name, a text in quotes, a number or a list.'],
  ['flow.name == "a', '14: This text has no closing ".'],
  ['flow.name == \'a"', "14: This text has no closing '."],
  ['(exists(flow)', '1: This "(" has no closing ")".'],
  ['flow.name in ["a"', '14: This "[" has no closing "]".'],
  ['exists(flow))', '13: This ")" has nothing to close, to separate or to compare here.'],
  [
    'flow.name "a"',
    '11: Before the text "a" something is missing, such as "and", "or", "==" or a bracket that closes.',
  ],
  [
    'exists(flow) exists(flow)',
    '14: Before "exists" something is missing, such as "and", "or", "==" or a bracket that closes.',
  ],
  ['flow.name == 2nd', '14: "2nd" is neither a number nor a name; put text in quotes.'],
  ['1234567890123456 == 1', '1: A number may have at most 15 digits; in quotes it is compared as text.'],
  ['flow.name == €', '14: The character "€" has no meaning here; text is put in quotes.'],
  [
    'exists(flow) }} and ${{ exists(flow)',
    '14: The expression ends here; put all of it between one "${{" and one "}}".',
  ],
  ['${{ exists(flow)', '1: An expression cannot be nested in another; put all of it between one "${{" and one "}}".'],
  [`${'('.repeat(41)}1 == 1${')'.repeat(41)}`, '41: An expression may be nested at most 40 levels deep.'],
  [`${'not '.repeat(41)}1 == 1`, '161: An expression may be nested at most 40 levels deep.'],
  [
    `1 in [${Array(499).fill('1').join(',')}]`,
    '6: An expression may have at most 500 parts; split it into several rules.',
  ],
];

const groups = { notTrueOrFalse, notComparable, unknownNames, functions, syntax };

describe.each(Object.entries(groups))('%s is refused', (_, cases) => {
  it.each(cases)('%s', (expression, ...problems) => {
    expect(problemsIn(expression)).toEqual(problems);
  });
});

it('an expression may be as large as the limits say', () => {
  expect(problemsIn(`${'('.repeat(40)}1 == 1${')'.repeat(40)}`)).toEqual([]);
  expect(problemsIn(`1 in [${Array(497).fill('1').join(',')}]`)).toEqual([]);
  expect(problemsIn(`1 == 1${' '.repeat(4096 - 14)}`)).toEqual([]);
});

it('all patterns of a policy together are limited', () => {
  const [first, second] = ['a', 'b'].map((letter) => `matches(flow.name, "${`[${letter.repeat(2000)}]`}")`);
  expect(problemsIn(`${first} or ${first}`)).toEqual([]);
  expect(problemsIn(`${first} or ${second}`)).toEqual([
    '2048: All patterns of a policy may have at most 4000 characters; shorten them.',
  ]);
});

it('so are the steps that they take', () => {
  const patterns = Array.from({ length: 6 }, (_, index) => `matches(flow.name, "\\pL{${180 + index}}")`);
  expect(problemsIn(patterns.slice(0, 5).join(' or '))).toEqual([]);
  expect(problemsIn(patterns.join(' or '))).toEqual([
    '190: All patterns of a policy may have at most 1000 steps; use fewer repetitions, or compare with "==" or "in".',
  ]);
});

it('its brackets belong to the expression', () => {
  const messageOf = (text: string) => {
    const parsed = parseExpression(text);
    return parsed.ok ? '' : parsed.fault.message;
  };
  expect(messageOf('exists(flow)')).toBe('An expression begins with "${{".');
  expect(messageOf('${{ exists(flow)')).toBe('The expression has no "}}" at its end; put all of it in quotes.');
  expect(messageOf('${{ }}')).toBe('There is nothing between "${{" and "}}".');
  expect(messageOf('${{}}')).toBe('There is nothing between "${{" and "}}".');
  expect(messageOf('${{}')).toBe('The expression has no "}}" at its end; put all of it in quotes.');
  expect(messageOf(`\${{ 1 == 1${' '.repeat(4096)} }}`)).toBe('An expression may be at most 4096 characters long.');
});

function problemsIn(expression: string): string[] {
  const parsed = parseExpression(`\${{ ${expression} }}`);
  const faults = parsed.ok ? checkExpression(parsed.expression) : [parsed.fault];
  return faults.map(({ at, message }) => `${at - '${{ '.length + 1}: ${message}`);
}
