import { decide, instantOf, type Judged, type Policy, parsePolicy, type Scope, testPolicy } from '@waymark/policy';
import { describe, expect, it } from 'vitest';
import { readEvidenceLine } from './pages/evidence-line.ts';
import { type Block, fits, readBlocks } from './pages/page-blocks.ts';

const SCHEMA = '_schema: https://example.com/policy/v1\n';
const IDENTITY = { name: 'production', version: 1 };
const ASIDE = /^ {2}(?:says|fix): /;

const blocks = await readBlocks('policies.md');
const cookbook = await readBlocks('policy-cookbook.md');

const SHOP: Scope = {
  flow: {
    name: 'shop',
    tags: { risk: 'high', tier: '2', team: 'all', 'team.name': 'web', 'cost-centre': 'A-1', note: '' },
  },
  artifact: { name: 'registry/shop:1.4', fingerprint: 'a'.repeat(64) },
  environment: { name: 'production', tags: { region: 'eu', replicas: '10' } },
};
const scopes: Record<string, Scope> = {
  conditions: SHOP,
  'conditions without a flow': { ...SHOP, flow: null },
  'conditions without an environment': { ...SHOP, environment: null },
};

/** An example with the lines indented below it: what is reported and, after that, what is advised. */
interface Example {
  readonly line: number;
  readonly head: string;
  readonly says: readonly string[];
  readonly fixes: readonly string[];
}

function policyIn(text: string): Policy {
  const parsed = parsePolicy(text);
  if ('problems' in parsed) throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
  return parsed.policy;
}

function conditionIn(expression: string) {
  return `${SCHEMA}artifacts:\n  attestations:\n    - type: junit\n      if: ${JSON.stringify(`\${{ ${expression} }}`)}\n`;
}

interface Line {
  readonly line: number;
  readonly text: string;
}

/** Lines with a deeper indent belong to the one before. */
function linesOf({ text, line: first }: Block): Line[] {
  const lines: Line[] = [];
  for (const [i, shown] of text.trimEnd().split('\n').entries()) {
    const before = lines.at(-1);
    if (before && shown.startsWith(' '.repeat(8)))
      lines.splice(-1, 1, { ...before, text: `${before.text} ${shown.trim()}` });
    else lines.push({ line: first + i, text: shown });
  }
  return lines;
}

function examplesIn(block: Block, isHead: (line: string, before: string | undefined) => boolean): Example[] {
  const lines = linesOf(block);
  const starts = lines.flatMap(({ text }, i) => (isHead(text, lines[i - 1]?.text) ? [i] : []));
  return starts.map((start, i) => {
    const own = lines.slice(start, starts[i + 1]).map(({ text }) => text);
    const linesWith = (word: string) =>
      own.flatMap((text) => (text.startsWith(`  ${word}:`) ? [text.slice(word.length + 3).trim()] : []));
    return {
      line: lines[start]?.line ?? 0,
      head: own.filter((text) => text !== '' && !ASIDE.test(text)).join('\n'),
      says: linesWith('says'),
      fixes: linesWith('fix'),
    };
  });
}

function judgedIn(page: readonly Block[]) {
  return page.flatMap((block, i) => {
    if (block.kind !== 'verdicts') return [];
    const policy = page.slice(0, i).findLast(({ kind }) => kind === 'yaml');
    return examplesIn(block, (line) => line.includes(' → ')).map((example) => ({
      ...example,
      policy: policy?.text ?? '',
    }));
  });
}

const judged = judgedIn(blocks);
const recipes = judgedIn(cookbook);

function verdictOf({ status, ruleEvaluations }: Judged): string {
  if (status === 'NON-COMPLIANT') return 'not compliant';
  return ruleEvaluations.every(({ ignored }) => ignored) ? 'compliant, nothing applies' : 'compliant';
}

it.each([...judged, ...recipes])('line $line: $head', ({ head, policy, says, fixes }) => {
  const [line = '', verdict] = head.split(' → ');
  const { evidence, context, now } = readEvidenceLine(line);
  const judging = policyIn(policy);
  const at = instantOf(judging, evidence, now, context.readings);
  const answer = decide(judging, IDENTITY, evidence, at === null ? context : { ...context, at });
  expect(verdictOf(answer)).toBe(verdict);
  if (says.length === 0) return;
  expect(answer.reasons.map(({ message }) => message)).toEqual(says);
  expect(answer.reasons.map(({ fix }) => fix)).toEqual(fixes);
});

const conditions = blocks.flatMap(({ kind, text, line }) => {
  const scope = scopes[kind];
  const rows = text.trimEnd().split('\n');
  return scope ? rows.map((row, i) => ({ line: line + i, row, scope })) : [];
});

it.each(conditions)('line $line: $row', ({ row, scope }) => {
  const [expression = '', result] = row.split(' → ');
  const [rule] = policyIn(conditionIn(expression.trim())).rules;
  if (rule?.kind !== 'attestation') throw new Error('there is no such rule');
  expect(String(rule.if?.holds(scope))).toBe(result);
});

const mistakes = blocks.flatMap((block) => {
  const wholeOf = { mistakes: whole, 'mistakes in conditions': conditionIn }[block.kind];
  const examples = wholeOf ? examplesIn(block, (line, before) => line !== '' && !before) : [];
  return examples.map((example) => ({ ...example, whole: wholeOf?.(written(example.head)) ?? '' }));
});

/** A rule, a section or a whole policy, by how it begins. */
function whole(snippet: string): string {
  if (/^- (?!provenance)/.test(snippet)) {
    return `${SCHEMA}artifacts:\n  attestations:\n${snippet.replaceAll(/^/gm, '    ')}\n`;
  }
  return snippet.startsWith('artifacts:\n') ? `${SCHEMA}${snippet}\n` : snippet;
}

/** What is invisible, or too long to read, has placeholders. */
function written(head: string): string {
  return head
    .replaceAll(/«([^»]*)»×(\d+)/g, (_, text: string, count: string) => text.repeat(Number(count)))
    .replaceAll('␣', ' ')
    .replaceAll('␇', '\u0007')
    .replaceAll(/^→/gm, '\t');
}

describe('a mistake is answered as the page says', () => {
  it.each(mistakes)('line $line: $head', ({ whole, says, fixes }) => {
    const parsed = parsePolicy(whole);
    const messages = 'problems' in parsed ? parsed.problems.map(({ message }) => message) : [];
    expect(fixes).toHaveLength(1);
    expect(messages).toEqual(
      says.map((expected) => expect.toSatisfy((message: string) => fits(expected, message), expected)),
    );
  });
});

const fixtures = blocks.flatMap((block, i) => {
  const policy = blocks.slice(0, i).findLast(({ kind }) => kind === 'yaml');
  return block.kind === 'yaml fixtures' ? [{ line: block.line, text: block.text, policy: policy?.text ?? '' }] : [];
});

it.each(fixtures)('line $line: each case of the fixtures passes', ({ text, policy }) => {
  const tested = testPolicy(policyIn(policy), IDENTITY, text);
  if ('problems' in tested) throw new Error(JSON.stringify(tested.problems));
  expect(tested.cases.filter(({ passed }) => !passed)).toEqual([]);
});

it('all parts of the page were read', () => {
  expect(fixtures.length).toBeGreaterThan(0);
  expect(judged.length).toBeGreaterThan(50);
  expect(new Set(recipes.map(({ policy }) => policy)).size).toBe(20);
  expect(recipes.length).toBeGreaterThan(35);
  expect(conditions.length).toBeGreaterThan(60);
  expect(mistakes.length).toBeGreaterThan(70);
  expect(blocks.filter(({ kind }) => kind === 'yaml').map(({ text }) => 'policy' in parsePolicy(text))).not.toContain(
    false,
  );
});
