import { givenFile } from './client.ts';
import type { Delivery } from './delivery.ts';
import type { Step } from './step.ts';

/** How a delivery that is compliant is found again. */
export function lookups(delivery: Delivery): Step[] {
  return [
    ...trails(delivery),
    ...artifacts(delivery),
    ...searching(delivery),
    ...repositories(delivery),
    ...rules(delivery),
  ];
}

function trails({ flow, trail, fingerprint }: Delivery): Step[] {
  const list = (...flags: string[]) => ['list', 'trails', ...flags];
  return [
    {
      args: list('--flow', flow),
      exit: 0,
      prints: [
        /^NAME +DESCRIPTION +COMPLIANCE$/m,
        new RegExp(`^${trail} +Sells shoes +COMPLIANT$`, 'm'),
        'Showing page 1 of 1, total 1 items',
      ],
    },
    { args: list('--flow', flow, '--page', '2'), exit: 0, prints: ['No trails were found at page number 2.'] },
    {
      args: list('--fingerprint', fingerprint, '-o', 'json'),
      exit: 0,
      json: { data: [{ name: trail, compliance_state: 'COMPLIANT' }], pagination: { total: 1, page: 1, per_page: 20 } },
    },
    { args: list('--flow-tag', `line=${trail}`), exit: 0, prints: [new RegExp(`^${trail} `, 'm'), 'total 1 items'] },
    { args: list('--flow-tag', `line=${trail}-nobody`), exit: 0, prints: ['No trails were found.'] },
    { args: list('--flow', `${flow}-nobody`), exit: 1, prints: [`Flow '${flow}-nobody' does not exist in this org`] },
  ];
}

function artifacts({ flow, trail, fingerprint, repository }: Delivery): Step[] {
  const { commit, name } = repository;
  const listed = [
    /^COMMIT +ARTIFACT +STATE +CREATED_AT$/m,
    new RegExp(`^${commit.slice(0, 7)} +Name: app\\.txt +COMPLIANT `, 'm'),
    new RegExp(`^ +Fingerprint: ${fingerprint}`, 'm'),
  ];
  const shown = [
    /^Name: +app\.txt$/m,
    new RegExp(`^Flow: +${flow}$`, 'm'),
    new RegExp(`^Trail: +${trail}$`, 'm'),
    /^Name in template: +web$/m,
    new RegExp(`^Fingerprint: +${fingerprint}$`, 'm'),
    new RegExp(`^Git commit: +${commit}$`, 'm'),
    new RegExp(`^Commit URL: +https://github\\.com/${name}/commit/${commit}$`, 'm'),
    new RegExp(`^Build URL: +https://github\\.com/${name}/actions/runs/42$`, 'm'),
    /^Artifact URL: +http/m,
    /^State: +COMPLIANT$/m,
    /^History:/m,
  ];
  const get = (expression: string, ...flags: string[]) => ['get', 'artifact', flow + expression, ...flags];
  return [
    { args: get(`@${fingerprint}`), exit: 0, prints: shown },
    { args: get(`@${fingerprint.slice(0, 12)}`, '--trail', trail), exit: 0, prints: shown },
    { args: get(`:${commit}`), exit: 0, prints: shown },
    { args: get(`:${commit.slice(0, 8)}`, '-o', 'json'), exit: 0, json: [{ fingerprint, state: 'COMPLIANT' }] },
    {
      args: get(`@${fingerprint}`, '-o', 'json'),
      exit: 0,
      json: { fingerprint, filename: 'app.txt', annotations: { line: 'shoes' }, repo_info: { name } },
    },
    { args: ['list', 'artifacts', '--flow', flow], exit: 0, prints: listed },
    { args: ['list', 'artifacts', '--repo', name], exit: 0, prints: listed },
    { args: ['list', 'artifacts', '--flow', flow, '-o', 'json'], exit: 0, json: [{ fingerprint, git_commit: commit }] },
    {
      args: ['list', 'artifacts', '--flow', flow, '--page', '9'],
      exit: 0,
      prints: ['No artifacts were found at page number 9.'],
    },
  ];
}

function searching({ flow, fingerprint, repository }: Delivery): Step[] {
  const found = [
    /^Name: +app\.txt$/m,
    /^Has provenance: +true$/m,
    new RegExp(`^Flow: +${flow}$`, 'm'),
    /^Compliance state: +COMPLIANT$/m,
    /^Running in: +\[ {2}\]$/m,
  ];
  const artifact = { fingerprint, name: 'app.txt', flow, git_commit: repository.commit };
  return [
    {
      args: ['search', fingerprint],
      exit: 0,
      prints: [`Search result resolved to artifact with fingerprint ${fingerprint}`, ...found],
    },
    {
      args: ['search', repository.commit.slice(0, 12)],
      exit: 0,
      prints: [`Search result resolved to commit ${repository.commit}`, ...found],
    },
    { args: ['search', fingerprint.slice(0, 12), '-o', 'json'], exit: 0, json: { artifacts: [artifact] } },
    { args: ['search', 'shoes'], exit: 1, prints: ['Error:'] },
  ];
}

function repositories({ repository: { name } }: Delivery): Step[] {
  const url = `https://github.com/${name}`;
  return [
    {
      args: ['list', 'repos', '--name', name],
      exit: 0,
      prints: [
        /^NAME +URL +PROVIDER +TAGS$/m,
        new RegExp(`^${name} +${url} +github *$`, 'm'),
        'Showing page 1 of 1, total 1 repos',
      ],
    },
    {
      args: ['list', 'repos', '--search', name.toUpperCase(), '--provider', 'github', '-o', 'json'],
      exit: 0,
      json: { repos: [{ name, url, provider: 'github' }], page: 1, total_count: 1 },
    },
    { args: ['list', 'repos', '--name', `${name}-nobody`], exit: 0, prints: ['No repos were found.'] },
    {
      args: ['get', 'repo', name],
      exit: 0,
      prints: [
        new RegExp(`^Name: +${name}$`, 'm'),
        /^ID: +\S+$/m,
        new RegExp(`^URL: +${url}$`, 'm'),
        /^Provider: +github$/m,
        /^Tags: +None$/m,
      ],
    },
    { args: ['get', 'repo', name, '--provider', 'github', '-o', 'json'], exit: 0, json: { name, url, tags: {} } },
  ];
}

/** The client fetches each attestation by its id, and merges it into the status it had. */
function rules({ flow, trail }: Delivery): Step[] {
  const policy = givenFile(
    'shop.rego',
    `package policy

default allow := false

statuses := input.trail.compliance_status
unit := statuses.artifacts_statuses.web.attestations_statuses.unit

allow if {
	unit.is_compliant
	unit.attestation_type == "junit"
	unit.html_url
	statuses.attestations_statuses.review.reported_by
	not statuses.attestations_statuses.risk
	data.params.enough
}

violations contains "not enough" if not data.params.enough
`,
  );
  const evaluate = (enough: boolean, ...flags: string[]) => [
    ...['evaluate', 'trail', trail, '--flow', flow, '--policy', policy, '--attestations', 'review,web.unit'],
    ...['--params', JSON.stringify({ enough }), ...flags],
  ];
  return [
    { args: evaluate(true), exit: 0, prints: [/^RESULT: +ALLOWED$/m] },
    { args: evaluate(false), exit: 1, prints: ['policy denied: [not enough]'] },
    { args: evaluate(false, '--no-assert'), exit: 0, prints: [/^RESULT: +DENIED$/m, /^VIOLATIONS: +not enough$/m] },
    {
      args: evaluate(true, '--show-input', '-o', 'json'),
      exit: 0,
      json: { allow: true, input: { trail: { name: trail, compliance_state: 'COMPLIANT' } } },
    },
  ];
}
