import { hash } from 'node:crypto';
import { join } from 'node:path';
import { givenFile } from './client.ts';
import { givenTestResults } from './given-evidence.ts';
import { givenRepository, type Repository } from './given-repository.ts';
import type { Command, Step } from './step.ts';

/** An environment that a policy judges, and two programs: one that a flow builds, and one that comes from nowhere. */
interface Judged {
  readonly policy: string;
  readonly control: string;
  readonly env: string;
  readonly flow: string;
  readonly trail: string;
  readonly repository: Repository;
  readonly built: Program;
  readonly stray: Program;
}

interface Program {
  readonly path: string;
  readonly fingerprint: string;
}

export function policies(run: string): Step[] {
  const files = { 'built.txt': `built program of ${run}` };
  const repository = givenRepository(`acme/${run}-judged`, `${run.replace(/\D/g, '')}2`, files, 'judged-repository');
  const stray = `stray program of ${run}`;
  const judged = {
    policy: `${run}-policy`,
    control: `${run}-SDLC.8`,
    env: `${run}-judged`,
    flow: `${run}-judged`,
    trail: `${run}-8`,
    repository,
    built: { path: join(repository.path, 'built.txt'), fingerprint: hash('sha256', files['built.txt']) },
    stray: { path: givenFile('stray.txt', stray), fingerprint: hash('sha256', stray) },
  };
  return [
    ...creating(judged),
    ...attaching(judged),
    ...evidenceComing(judged),
    ...allowing(judged),
    ...detaching(judged),
    ...refusals(run, judged),
  ];
}

function policyText(...rules: string[]): string {
  const lines = ['_schema: https://example.com/policy/v1', 'artifacts:', '  provenance:', '    required: true'];
  return [...lines, ...(rules.length > 0 ? ['  attestations:'] : []), ...rules.map((rule) => `    - ${rule}`), ''].join(
    '\n',
  );
}

function creating({ policy, control }: Judged): Step[] {
  const first = givenFile('policy.yml', policyText());
  const second = givenFile(
    'next-policy.yml',
    policyText(
      "{ name: unit, type: junit, if: '${{ exists(flow) }}' }",
      `{ type: decision, for_control: ${control}, if: '\${{ exists(flow) }}' }`,
    ),
  );
  const misspelt = givenFile('misspelt-policy.yml', policyText('{ type: junitt }'));
  const create = (file: string, ...flags: string[]) => ['create', 'policy', policy, file, ...flags];
  const described = ['--description', 'What may run', '--comment'];
  const missing = `There is no control '${control}' in this org.`;
  return [
    { args: create(misspelt), exit: 1, prints: ['line 6, column 15: "type" must be one of', 'Did you mean "junit"?'] },
    { args: create(first, ...described, 'to begin with'), exit: 0, prints: [`policy '${policy}' was created`] },
    { args: create(first, ...described, 'again'), exit: 0, prints: [`policy '${policy}' was updated`] },
    { args: create(second, ...described, 'tests'), exit: 1, prints: [missing] },
    { args: ['create', 'control', control, '--name', 'Decided on'], exit: 0, prints: [control] },
    { args: create(second, ...described, 'tests'), exit: 0, prints: [`policy '${policy}' was updated`] },
    {
      args: ['get', 'policy', policy],
      exit: 0,
      prints: [
        new RegExp(`^Name: +${policy}$`, 'm'),
        /^Description: +What may run$/m,
        /^Created At: +\S.* ago$/m,
        /^Versions: +2$/m,
        /^Attached to environments: +\[\]$/m,
        'name: unit, type: junit',
      ],
    },
    {
      args: ['get', 'policy', policy, '-o', 'json'],
      exit: 0,
      json: {
        archived: false,
        created_by: 'ada',
        versions: [
          { version: 1, comment: 'to begin with', policy_yaml: policyText() },
          { version: 2, comment: 'tests' },
        ],
        events: [{ type: 'policy_created' }, { type: 'policy_version_created' }],
      },
    },
    {
      args: ['list', 'policies'],
      exit: 0,
      prints: [new RegExp(`^${policy} +What may run +\\S.* ago +2 +\\[\\]$`, 'm')],
    },
    { args: ['get', 'control', control, '-o', 'json'], exit: 0, json: { policies_referencing: [policy] } },
  ];
}

function attaching({ policy, env, built }: Judged): Step[] {
  const attach: Command = {
    args: ['attach-policy', policy, '--environment', env],
    exit: 0,
    prints: [`policy '${policy}' is attached to environments: [${env}]`],
  };
  return [
    { args: ['create', 'environment', env, '--type', 'server'], exit: 0, prints: ['was created'] },
    { args: ['snapshot', 'path', env, '--path', built.path, '--name', 'web'], exit: 0, prints: ['[1] artifacts'] },
    attach,
    attach,
    {
      args: ['get', 'environment', env],
      exit: 0,
      prints: [/^State: +NON-COMPLIANT$/m, new RegExp(`^Policies: +\\[${policy}\\]$`, 'm')],
    },
    {
      args: ['get', 'policy', policy],
      exit: 0,
      prints: [new RegExp(`^Attached to environments: +\\[${env}\\]$`, 'm')],
    },
    { args: ['list', 'policies'], exit: 0, prints: [new RegExp(`^${policy} .*\\[${env}\\]$`, 'm')] },
    {
      args: ['get', 'snapshot', env, '-o', 'json'],
      exit: 0,
      json: {
        index: 2,
        trigger: 'policy',
        compliant: false,
        artifacts: [
          {
            policy_decisions: [{ policy_name: policy, policy_version: 2, status: 'NON-COMPLIANT' }],
            reasons_for_incompliance: [{ resolution: 'no_provenance' }],
          },
        ],
      },
    },
    { args: ['get', 'snapshot', env], exit: 0, prints: [/Name: web +N\/A +NON-COMPLIANT /] },
    { args: ['assert', 'snapshot', env], exit: 1, prints: ['NON-COMPLIANT'] },
  ];
}

/** First the program, then its tests, then the decision. */
function evidenceComing(judged: Judged): Step[] {
  const { policy, control, env, flow, trail, repository, built } = judged;
  const inTrail = ['--flow', flow, '--trail', trail, '--repo-root', repository.path];
  const onProgram = ['--fingerprint', built.fingerprint];
  return [
    { args: assertion(built, '--environment', env), exit: 1, prints: ['Artifact is not compliant'] },
    { args: assertion(built, '--policy', policy), exit: 1, prints: [`Artifact '${built.fingerprint}' does not exist`] },
    { args: ['create', 'flow', flow, '--use-empty-template'], exit: 0, prints: ['was created'] },
    {
      args: ['attest', 'artifact', built.path, '--artifact-type', 'file', '--name', 'web', ...inTrail],
      env: repository.job,
      exit: 0,
      prints: [built.fingerprint],
    },
    { args: assertion(built, '--environment', env), exit: 1, prints: ['Artifact is not compliant'] },
    { args: assertion(built, '--policy', policy), exit: 1, prints: ['Artifact is not compliant'] },
    {
      args: assertion(built, '--policy', policy, '-o', 'json'),
      exit: 1,
      json: {
        scope: 'policy',
        compliant: false,
        policy_evaluations: [
          {
            rule_evaluations: [
              { satisfied: true, ignored: false },
              { satisfied: false, resolutions: [{ type: 'missing_attestation' }] },
            ],
          },
        ],
      },
    },
    attest('junit', 'unit', ...inTrail, ...onProgram, '--results-dir', givenTestResults('failed', 1)),
    { args: assertion(built, '--environment', env), exit: 1, prints: ['Artifact is not compliant'] },
    attest('junit', 'unit', ...inTrail, ...onProgram, '--results-dir', givenTestResults('passed', 0)),
    { args: assertion(built, '--environment', env), exit: 1, prints: ['Artifact is not compliant'] },
    attest('decision', 'release', ...inTrail, ...onProgram, '--control', control, '--compliant'),
    { args: assertion(built, '--environment', env), exit: 0, prints: [/^COMPLIANT$/m, `Environment: ${env}`, policy] },
    { args: assertion(built, '--policy', policy), exit: 0, prints: [/^COMPLIANT$/m, policy] },
    {
      args: assertion(built, '--environment', env, '-o', 'json'),
      exit: 0,
      json: { compliant: true, scope: 'environment', environment: env, allow_listing: null, flows: [{ flow }] },
    },
    { args: ['assert', 'snapshot', env], exit: 0, prints: ['COMPLIANT'], settles: true },
    { args: ['get', 'environment', env], exit: 0, prints: [/^State: +COMPLIANT$/m] },
    { args: ['assert', 'snapshot', `${env}#2`], exit: 1, prints: ['NON-COMPLIANT'] },
    { args: ['get', 'snapshot', env], exit: 0, prints: [new RegExp(`Name: web +${flow} +COMPLIANT `)] },
  ];

  function attest(kind: string, name: string, ...flags: string[]): Command {
    return {
      args: ['attest', kind, '--name', name, ...flags],
      env: repository.job,
      exit: 0,
      prints: [`attestation '${name}' is reported to trail: ${trail}`],
    };
  }
}

function allowing({ env, stray, policy }: Judged): Step[] {
  const allow = (name: string) => [
    ...['allow', 'artifact', stray.path, '--artifact-type', 'file', '--environment', name],
    ...['--reason', 'It ends an outage'],
  ];
  const allowed = {
    exit: 0,
    prints: [`artifact ${stray.fingerprint} was allow listed in environment: ${env}`],
  } as const;
  return [
    { args: ['snapshot', 'path', env, '--path', stray.path, '--name', 'stray'], exit: 0, prints: ['[1] artifacts'] },
    { args: ['assert', 'snapshot', env], exit: 1, prints: ['NON-COMPLIANT'] },
    { args: allow(env), ...allowed },
    { args: allow(env), ...allowed },
    { args: ['assert', 'snapshot', env], exit: 0, prints: ['COMPLIANT'] },
    {
      args: ['get', 'snapshot', env, '-o', 'json'],
      exit: 0,
      json: { trigger: 'allow-list', compliant: true, artifacts: [{ compliant: true, compliance: 'waived' }] },
    },
    { args: assertion(stray, '--environment', env), exit: 0, prints: [/^COMPLIANT$/m, `Environment: ${env}`] },
    {
      args: assertion(stray, '--environment', env, '-o', 'json'),
      exit: 0,
      json: { allow_listing: { description: 'It ends an outage', allowed_by_user_id: 'ada' } },
    },
    { args: assertion(stray, '--policy', policy), exit: 1, prints: [`Artifact '${stray.fingerprint}' does not exist`] },
    { args: allow(`${env}-nobody`), exit: 1, prints: [`Environment '${env}-nobody' does not exist in this org`] },
  ];
}

function detaching({ policy, env }: Judged): Step[] {
  const detach: Command = {
    args: ['detach-policy', policy, '--environment', env],
    exit: 0,
    prints: [`policy '${policy}' is detached from environments: [${env}]`],
  };
  return [
    detach,
    detach,
    { args: ['get', 'environment', env], exit: 0, prints: [/^State: +N\/A$/m, /^Policies: +\[\]$/m] },
    { args: ['get', 'policy', policy], exit: 0, prints: [/^Attached to environments: +\[\]$/m] },
    { args: ['assert', 'snapshot', env], exit: 1, prints: ['NON-COMPLIANT'] },
  ];
}

/** A failed attachment is not among them: the client reports success, whatever the response. */
function refusals(run: string, { built }: Judged): Step[] {
  const nobody = `${run}-nobody`;
  const file = givenFile('policy.yml', policyText());
  return [
    { args: ['get', 'policy', nobody], exit: 1, prints: [`Policy '${nobody}' does not exist in this org`] },
    { args: ['create', 'policy', 'not a name', file], exit: 1, prints: ['name:must start with a letter or digit'] },
    {
      args: assertion(built, '--environment', nobody),
      exit: 1,
      prints: [`Environment '${nobody}' does not exist in this org`],
    },
    { args: assertion(built, '--policy', nobody), exit: 1, prints: [`Policy '${nobody}' does not exist in this org`] },
  ];
}

function assertion({ fingerprint }: Program, ...flags: string[]): string[] {
  return ['assert', 'artifact', '--fingerprint', fingerprint, ...flags];
}
