import type { Explanation } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import {
  fixesIn,
  onlyFailing,
  openFromTheStart,
  overridableIn,
  ownReason,
  rowsOf,
  shownNode,
  stateOfNode,
  withoutPassing,
} from './why-tree.ts';
import { artifactOf, nodeLabel, policyOf } from './why-tree-label.ts';
import { explanationMarkdown } from './why-tree-markdown.ts';

function node(id: string, kind: string, status: string, more: Partial<Explanation> = {}): Explanation {
  return { id, kind, status, needs: '', found: [], because: '', fix: null, since: null, children: [], ...more };
}

const leaf = node('environment/artifact:web@abcdefabcdef/policy:prod/rule:2/flow:web', 'evidence', 'MISSING', {
  needs: 'A junit attestation.',
  because: 'It is missing.',
  fix: 'Report it.',
});
const needs = "A compliant attestation named 'sast' of type snyk, if the artifact has provenance.";
const passing = node('environment/artifact:web@abcdefabcdef/policy:base', 'policy', 'COMPLIANT', {
  needs: "All 4 rules of policy 'base', version 7.",
  because: '4 rules applied and satisfied.',
  children: [node('environment/artifact:web@abcdefabcdef/policy:base/rule:1', 'rule', 'COMPLIANT')],
});
const failing = node('environment/artifact:web@abcdefabcdef/policy:prod', 'policy', 'NON-COMPLIANT', {
  needs: "The one rule of policy 'prod', version 3.",
  children: [
    node('environment/artifact:web@abcdefabcdef/policy:prod/rule:2', 'rule', 'NON-COMPLIANT', {
      because: 'It is missing.',
      children: [leaf],
    }),
  ],
});
const artifact = node('environment/artifact:web@abcdefabcdef', 'artifact', 'NON-COMPLIANT', {
  children: [passing, failing],
});
const waived = node('environment/artifact:cron@unknown', 'artifact', 'WAIVED', {
  because: 'Waived by ana: legacy.',
  children: [failing],
});
const root = node('environment', 'environment', 'NON-COMPLIANT', { because: '1 of 2.', children: [artifact, waived] });

describe('the rows of a tree', () => {
  it('open down to the reasons of what fails, and leave what passes folded', () => {
    const rows = rowsOf([shownNode(artifact)]);
    expect(openFromTheStart(rows)).toEqual([artifact.id, failing.id, `${failing.id}/rule:2`]);
    expect(rows[0]?.rows.map(({ node }) => node.status)).toEqual(['COMPLIANT', 'NON-COMPLIANT']);
    expect(rows[0]?.rows[1]?.rows[0]?.rows).toMatchObject([{ part: 'reasons', node: { because: 'It is missing.' } }]);
  });

  it('show the reason for a waiver before what would fail, which is folded', () => {
    expect(openFromTheStart(rowsOf([waived]))).toEqual([waived.id]);
    expect(rowsOf([waived])[0]?.rows.map(({ part }) => part)).toEqual(['reasons', 'head']);
  });

  it('have unique keys, even when two nodes have the same path', () => {
    const keys = rowsOf([artifact, artifact]).map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
  });

  it('count what passes beside a failure, unless it is one or all', () => {
    expect(withoutPassing([artifact, passing, waived, passing])).toEqual({ shown: [artifact, waived], passing: 2 });
    for (const nodes of [[artifact, passing], [passing, passing], [artifact]])
      expect(withoutPassing(nodes)).toEqual({ shown: nodes, passing: 0 });
  });

  it('can leave out passing nodes', () => {
    expect(onlyFailing([artifact])).toMatchObject([{ id: artifact.id, children: [{ id: failing.id }] }]);
    expect(onlyFailing([passing])).toEqual([]);
  });
});

describe('a node', () => {
  it('is named in words', () => {
    expect([artifact, waived, failing, leaf].map(nodeLabel)).toEqual([
      'web (abcdefabcdef)',
      'cron (not identified)',
      'Policy prod, version 3',
      'In flow web',
    ]);
    expect(
      ['artifact', 'trail-branch'].map((kind) => nodeLabel(node('trail/artifact:web', kind, 'COMPLIANT'))),
    ).toEqual(['Artifact web', 'In its trail: web']);
    expect(nodeLabel(node('trail/artifact:web/attestation:unit-tests:junit', 'attestation', 'MISSING'))).toBe(
      'Attestation unit-tests',
    );
  });

  it('that is a rule is named by what it requires', () => {
    expect(nodeLabel(node('a/policy:prod/rule:2', 'rule', 'COMPLIANT', { needs }))).toBe(needs.slice(0, -1));
    expect(nodeLabel(node('a/policy:prod/rule:2', 'rule', 'COMPLIANT'))).toBe('Rule 2');
  });

  it('does not repeat the requirement in its reason', () => {
    const demand = "Policy 'prod' requires a compliant attestation named 'sast' of type snyk.";
    const found = "In flow 'web', trail 'r1', there is none.";
    for (const kind of ['rule', 'evidence']) {
      expect(ownReason({ kind, needs, because: `${demand} ${found}` })).toBe(found);
      expect(ownReason({ kind, needs: 'Provenance.', because: `Policy 'a' requires provenance. ${found}` })).toBe(
        found,
      );
      expect(ownReason({ kind, needs: 'Provenance.', because: `${demand} ${found}` })).toBe(`${demand} ${found}`);
    }
    expect(ownReason({ kind: 'policy', needs, because: `${demand} ${found}` })).toBe(`${demand} ${found}`);
  });

  it('has its subject, whatever its name contains', () => {
    expect(artifactOf('environment/artifact:a@b/artifact:x@abcdefabcdef')).toEqual({
      name: 'x',
      digits: 'abcdefabcdef',
    });
    expect(policyOf({ id: `${failing.id}/rule:2`, needs: '' })).toEqual({ name: 'prod', version: undefined });
  });

  it('has one of four states, and is never green when unknown', () => {
    expect(
      ['COMPLIANT', 'MISSING', 'WAIVED', 'NOT-APPLICABLE', 'SOMETHING-NEW'].map((status) => stateOfNode({ status })),
    ).toEqual(['compliant', 'non-compliant', 'waived', 'unknown', 'unknown']);
  });

  it('lists the fixes of what fails and is not waived, without duplicates', () => {
    expect(fixesIn({ ...root, children: [artifact, artifact] })).toEqual(['Report it.']);
  });

  it('names the evidence to override, where its fix offers that', () => {
    const evidence = { kind: 'attestation', name: 'lint', type: 'generic', is_compliant: false, at: 1 };
    const fails = (id: string, fix: string) =>
      node(`trail/attestation:${id}`, 'attestation', 'NON-COMPLIANT', { found: [{ ...evidence, id }], fix });
    const fix = "Fix it and report 'lint' again, or override it with a reason.";
    const trail = node('trail', 'trail', 'NON-COMPLIANT', {
      children: [fails('1', fix), fails('2', fix), fails('3', "Report 'lint' again."), leaf],
    });
    expect([...overridableIn(trail)]).toEqual([[fix, ['1', '2']]]);
  });
});

it('is copied as nested lists, with Markdown in names escaped', () => {
  const text = explanationMarkdown({
    title: 'prod_<eu>',
    root,
    remarks: ['since Monday'],
    fixes: ['Report it.'],
    address: 'https://waymark.example.com/acme/environments/prod/why',
  });
  expect(text).toContain('### ✕ prod\\_\\<eu\\> is non-compliant');
  expect(text).toContain('  - ✓ Policy base, version 7: 4 rules applied and satisfied.');
  expect(text).toContain('- ✕ A junit attestation\n      - found: nothing\n      - because: It is missing.');
  expect(text).toContain('1. Report it.');
  expect(text).toContain('- ◐ cron (not identified)\n  - because: Waived by ana: legacy.');
});
