/** The requirements of a policy of the bench, as plain as the bare loop needs them. */
export interface Asked {
  readonly provenance: boolean;
  readonly trailCompliance: boolean;
  readonly evidence: readonly { readonly name: string; readonly type: string; readonly minApprovals?: number }[];
  /** Required only in flows with this value of the tag `risk`. */
  readonly ofRisk: { readonly risk: string; readonly name: string; readonly type: string };
}

/** What every build of the bench reports, most of it. */
export const KINDS = [
  { name: 'unit-tests', type: 'junit' },
  { name: 'dependencies', type: 'snyk' },
  { name: 'quality-gate', type: 'sonar' },
  { name: 'tickets', type: 'jira' },
  { name: 'review', type: 'pull_request' },
  { name: 'bill-of-materials', type: 'sbom' },
  { name: 'release', type: 'decision' },
  { name: 'load-test', type: 'custom:load' },
  { name: 'provenance', type: 'in_toto' },
  { name: 'change-notes', type: 'generic' },
] as const;

/** In builds of all flows, so that policies can ask for them. */
const COMMON = KINDS.slice(0, 6);

/** Four to six rules each, one of them with an expression. */
export function askedOf(count: number): Asked[] {
  return Array.from({ length: count }, (_, number) => {
    const first = COMMON[number % COMMON.length] ?? KINDS[0];
    const second = COMMON[(number + 2) % COMMON.length] ?? KINDS[0];
    const third = number % 2 === 0 ? [COMMON[(number + 4) % COMMON.length] ?? KINDS[0]] : [];
    return {
      provenance: true,
      trailCompliance: number % 3 === 0,
      evidence: [first, second, ...third].map((kind) =>
        kind.type === 'pull_request' && number % 4 === 0 ? { ...kind, minApprovals: 1 } : kind,
      ),
      ofRisk: { risk: number % 2 === 0 ? 'high' : 'low', name: 'unit-tests', type: 'junit' },
    };
  });
}

export function policyYaml({ provenance, trailCompliance, evidence, ofRisk }: Asked): string {
  const rules = evidence.map(
    ({ name, type, minApprovals }) =>
      `    - { name: ${name}, type: '${type}'${minApprovals === undefined ? '' : `, min_approvals: ${minApprovals}`} }`,
  );
  return [
    '_schema: https://waymark.example.com/schemas/policy/v1',
    'artifacts:',
    `  provenance: { required: ${provenance} }`,
    `  trail-compliance: { required: ${trailCompliance} }`,
    '  attestations:',
    ...rules,
    `    - { name: ${ofRisk.name}, type: '${ofRisk.type}', if: '\${{ flow.tags.risk == "${ofRisk.risk}" }}' }`,
  ].join('\n');
}
