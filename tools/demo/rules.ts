import { reevaluate } from '../../apps/server/src/features/runtime-verdicts/reevaluation/reevaluate.service.ts';
import { systemCtx } from '../../apps/server/src/platform/ctx.ts';
import {
  archiveControl,
  attachPolicies,
  createControl,
  patchTags,
  postAttestationType,
  putFlow,
  putPolicy,
  updateControl,
} from '../../packages/contract/src/index.ts';
import { LOAD_TEST } from './evidence/attested.ts';
import { environmentId } from './places.ts';
import type { Seeding, Step } from './seeding.ts';
import { CONTROLS, PHYSICAL, type Place, SERVICES, type Service } from './shop.ts';

const SCHEMA = '_schema: https://example.com/policy/v1';

const PROVENANCE = `  provenance:
    required: true
    exceptions:
      - if: '\${{ matches(artifact.name, "^vendor/") }}'
`;

const KNOWN = "'${{ exists(flow) }}'";

const BASELINE = [
  `${SCHEMA}\nartifacts:\n${PROVENANCE}`,
  `${SCHEMA}
artifacts:
${PROVENANCE}  attestations:
    - { name: unit-tests, type: junit, if: ${KNOWN} }
`,
] as const;

const releasePolicy = (...rules: string[]) =>
  `${SCHEMA}\nartifacts:\n  attestations:\n${rules.map((rule) => `    - ${rule}\n`).join('')}`;

const REVIEWED = `{ name: pull-request, type: pull_request, min_approvals: 1, if: ${KNOWN} }`;
const SCANNED = `{ name: sast, type: snyk, if: ${KNOWN} }`;
const LISTED = `{ name: sbom, type: sbom, for_control: ${CONTROLS.materials}, if: ${KNOWN} }`;
const DECIDED = `{ type: decision, for_control: ${CONTROLS.secondPerson}, if: '\${{ flow.tags.risk == "high" }}' }`;

const PROD_RELEASE = [
  releasePolicy(REVIEWED),
  releasePolicy(REVIEWED, SCANNED, LISTED),
  releasePolicy(REVIEWED, SCANNED, LISTED, DECIDED),
] as const;

function templateOf({ name }: Service): string {
  return `version: 1
trail:
  attestations:
    - name: ticket
      type: jira
    - name: pull-request
      type: pull_request
  artifacts:
    - name: ${name}
      attestations:
        - name: unit-tests
          type: junit
        - name: sast
          type: snyk
        - name: sbom
          type: sbom
        - name: review
          type: decision
`;
}

/** Flows with their requirements, the catalog of controls, and the policies with their first versions. */
export async function givenRules(seeding: Seeding): Promise<void> {
  const { api, keys, words } = seeding;
  for (const service of SERVICES) {
    const { name, team, risk, description } = service;
    const repo_url = words.url(`https://git.example.com/acme/${name}`);
    const body = { name, description: words.text(description), template: templateOf(service), repo_url };
    await api.call(keys.bea, putFlow, { body });
    await api.call(keys.bea, patchTags, {
      params: { type: 'flow', id: name },
      body: { set_tags: { team: words.text(team), risk } },
    });
  }
  await givenLoadTests(seeding);
  await givenControls(seeding);
  await putVersion(seeding, 'baseline', BASELINE[0], 'Require provenance everywhere');
  await putVersion(seeding, 'prod-release', PROD_RELEASE[0], 'Require an approved pull request');
  for (const place of PHYSICAL) await attach(seeding, place, ['baseline']);
  for (const place of ['production', 'eu-production'] as const) await attach(seeding, place, ['prod-release']);
}

function attach({ api, keys }: Seeding, place: Place, policy_names: string[]) {
  return api.call(keys.bea, attachPolicies, { params: { env_name: place }, body: { policy_names } });
}

function givenLoadTests({ api, keys, words }: Seeding) {
  const body = {
    name: LOAD_TEST,
    description: words.text('Results of the evening load test'),
    comment: words.text('Initial limits'),
    evaluator: { content_type: 'jq' as const, rules: ['.p95_ms < 300', '.errors < 10'] },
    summary: [
      { name: words.text('95th percentile, ms'), expression: '.p95_ms' },
      { name: words.text('requests'), expression: '.requests' },
    ],
    type_schema: {
      type: 'object',
      required: ['p95_ms', 'errors'],
      properties: { p95_ms: { type: 'number' }, errors: { type: 'number' } },
    },
  };
  return api.call(keys.bea, postAttestationType, { body });
}

const CATALOG = [
  [
    CONTROLS.provenance,
    'Every running artifact is identified',
    'Every running artifact was built by one of our flows or is on the vendor list.',
  ],
  [CONTROLS.secondPerson, 'A second person approves every change', 'No one deploys their own change to production.'],
  [CONTROLS.scanned, 'Source code is scanned for vulnerabilities', 'Source code is scanned before each release.'],
  [CONTROLS.materials, 'Every release has an SBOM', 'Each release includes a software bill of materials.'],
  [CONTROLS.signOff, 'The release manager approves each release', 'Required until the pipeline releases all services.'],
] as const;

async function givenControls({ api, keys, words }: Seeding): Promise<void> {
  for (const [identifier, name, description] of CATALOG) {
    const links = { handbook: `https://handbook.example.com/controls/${identifier.toLowerCase()}` };
    const body = { identifier, name: words.text(name), description: words.text(description), links };
    await api.call(keys.ada, createControl, { body });
    await api.call(keys.ada, patchTags, {
      params: { type: 'control', id: identifier },
      body: { set_tags: { framework: words.text('SOC 2'), owner: words.text('platform') } },
    });
  }
}

function putVersion({ api, keys, words }: Seeding, name: string, policy_yaml: string, comment: string) {
  const body = { policy_yaml: `# ${words.text(comment)}\n${policy_yaml}`, comment: words.text(comment) };
  const description = words.text(
    name === 'baseline' ? 'Required of every running artifact' : 'Required in customer-facing environments',
  );
  return api.call(keys.bea, putPolicy, { params: { name }, body: { ...body, description } });
}

/** Later changes of the rules. */
export function ruleSteps({ times }: Seeding): Step[] {
  const { baselineSecond, releaseSecond, releaseThird, ago } = times;
  const version = (at: Date, name: string, text: string, comment: string, places: readonly Place[]): Step => ({
    at,
    async run(seeding) {
      await putVersion(seeding, name, text, comment);
      for (const place of places) await judgeAgain(seeding, place, 'policy');
    },
  });
  const control = (at: Date, identifier: string, description: string): Step => ({
    at,
    run: ({ api, keys, words }) =>
      api.call(keys.ada, updateControl, { params: { identifier }, body: { description: words.text(description) } }),
  });
  const production = ['production', 'eu-production'] as const;
  return [
    version(baselineSecond, 'baseline', BASELINE[1], 'Require passing tests for artifacts of known flows', PHYSICAL),
    version(releaseSecond, 'prod-release', PROD_RELEASE[1], 'Require a scan and an SBOM', production),
    version(releaseThird, 'prod-release', PROD_RELEASE[2], 'Require a decision for high-risk flows', production),
    control(ago(50), CONTROLS.secondPerson, 'No one deploys their own change to production, even during an outage.'),
    control(ago(30), CONTROLS.scanned, 'Source code is scanned before each release. High-severity findings block it.'),
    control(
      ago(12),
      CONTROLS.scanned,
      'Source code is scanned before each release. High-severity findings always block it.',
    ),
    {
      at: ago(40),
      run: ({ api, keys }) => api.call(keys.ada, archiveControl, { params: { identifier: CONTROLS.signOff } }),
    },
  ];
}

/** What the worker does within seconds, at the time of the clock; the worker itself uses the machine's. */
export async function judgeAgain(seeding: Seeding, place: Place, cause: 'policy' | 'evidence'): Promise<void> {
  const { api, orgId } = seeding;
  const ctx = { ...systemCtx(api.db, orgId, 'verdicts', api.log), now: api.now };
  await reevaluate(ctx, [{ environmentId: await environmentId(seeding, place), causes: [cause] }]);
}
