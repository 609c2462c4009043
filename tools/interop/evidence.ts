import { hash } from 'node:crypto';
import { join } from 'node:path';
import { archivedAttestationType, attestationTypes } from './attestation-types.ts';
import { givenFile } from './client.ts';
import type { Delivery } from './delivery.ts';
import { givenJson, givenScan, givenTestResults } from './given-evidence.ts';
import { givenRepository, type Repository } from './given-repository.ts';
import { lookups } from './lookups.ts';
import type { Command, Step } from './step.ts';

export function evidence(run: string): Step[] {
  const program = `program of ${run}`;
  const files = { 'app.txt': program, 'old.txt': `old program of ${run}` };
  const repository = givenRepository(`acme/${run}`, run.replace(/\D/g, ''), files);
  const delivery = {
    flow: `${run}-shop`,
    trail: `${run}-1`,
    type: `${run}-coverage`,
    program: join(repository.path, 'app.txt'),
    fingerprint: hash('sha256', program),
    repository,
  };
  return [
    ...attestationTypes(delivery.type),
    ...beginning(delivery),
    ...buildingIt(delivery),
    ...failing(delivery),
    ...repairing(delivery),
    ...lookups(delivery),
    ...reportingWithoutTrail(run, delivery.repository),
    ...refusals(run, delivery),
    ...archivedAttestationType(delivery.type),
  ];
}

function beginning({ flow, trail, type, repository }: Delivery): Step[] {
  const template = givenFile(
    'shop.yml',
    `version: 1
trail:
  attestations:
    - { name: review, type: generic }
    - { name: risk, type: decision }
  artifacts:
    - name: web
      attestations:
        - { name: unit, type: junit }
        - { name: scan, type: snyk }
        - { name: coverage, type: "custom:${type}" }
`,
  );
  const begin = (description: string, ...flags: string[]): readonly string[] => [
    ...['begin', 'trail', trail, '--flow', flow, '--repo-root', repository.path],
    ...['--description', description, ...flags],
  ];
  const notes = givenJson('notes.json', { ticket: 'SHOP-7' });
  return [
    {
      args: ['create', 'flow', flow, '--template-file', template],
      exit: 0,
      prints: [`flow '${flow}' was created`],
    },
    { args: ['tag', 'flow', flow, '--set', `line=${trail}`], exit: 0, prints: ['added for flow'] },
    {
      args: begin('first', '--user-data', notes, '--external-url', 'plan=https://example.com/plan'),
      env: repository.job,
      exit: 0,
      prints: [`trail '${trail}' was begun`],
    },
    { args: begin('Sells shoes'), env: repository.job, exit: 0, prints: [`trail '${trail}' was updated`] },
    {
      args: ['get', 'trail', trail, '--flow', flow],
      exit: 0,
      prints: [
        new RegExp(`^Name: +${trail}$`, 'm'),
        /^Description: +Sells shoes$/m,
        /^Compliance: +INCOMPLETE$/m,
        new RegExp(`^ +Sha1: +${repository.commit}$`, 'm'),
        /^ +Author: +Ada Lovelace <ada@example\.com>$/m,
        /^ +Timestamp: +Fri, 02 Jan 2026 03:04:05 UTC/m,
        /^ +message: +Sell shoes$/m,
        /^ +TIME +DESCRIPTION +GIT-COMMIT +COMPLIANCE$/m,
        /trail started/,
        /trail updated/,
      ],
    },
    {
      args: ['get', 'trail', trail, '--flow', flow, '-o', 'json'],
      exit: 0,
      json: {
        name: trail,
        description: 'Sells shoes',
        compliance_state: 'INCOMPLETE',
        user_data: { ticket: 'SHOP-7' },
        external_urls: { plan: { href: 'https://example.com/plan' } },
        origin_url: `https://github.com/${repository.name}/actions/runs/42`,
        git_commit_info: { sha1: repository.commit, branch: 'main', timestamp: 1_767_323_045 },
        flow: { name: flow },
        compliance_status: { status: 'INCOMPLETE', artifacts_statuses: { web: { status: 'MISSING' } } },
      },
    },
    {
      args: ['get', 'trail', trail, '--flow', flow, '-o', 'markdown'],
      exit: 0,
      prints: [
        `## Trail: [${trail}](`,
        '| Compliance | ⏳ INCOMPLETE |',
        '| review | ⏳ missing |',
        '**web** — ⏳ MISSING',
      ],
    },
  ];
}

/** The tests are attested before the program is, and find it by its name in the template and the commit. */
function buildingIt(delivery: Delivery): Step[] {
  const { flow, trail, program, fingerprint, repository } = delivery;
  const passed = givenTestResults('passed', 0);
  return [
    attest(delivery, 'junit', 'web.unit', '--results-dir', passed),
    {
      args: [
        ...['attest', 'artifact', program, '--artifact-type', 'file', '--name', 'web', '--flow', flow],
        ...['--trail', trail, '--repo-root', repository.path, '--annotate', 'line=shoes'],
      ],
      env: repository.job,
      exit: 0,
      prints: [`artifact app.txt was attested with fingerprint: ${fingerprint}`],
    },
    {
      args: ['get', 'trail', trail, '--flow', flow],
      exit: 0,
      prints: [
        /^Compliance: +INCOMPLETE$/m,
        "artifact 'app.txt' created for template name 'web'",
        "'junit' attestation reported for web.unit",
      ],
    },
    {
      args: ['get', 'attestation', 'unit', '--flow', flow, '--fingerprint', fingerprint, '-o', 'json'],
      exit: 0,
      json: [{ attestation_name: 'unit', attestation_type: 'junit', is_compliant: true, target_artifacts: ['web'] }],
    },
    {
      args: ['assert', 'artifact', program, '--artifact-type', 'file', '--flow', flow],
      exit: 1,
      prints: ['Artifact is not compliant'],
    },
  ];
}

function failing(delivery: Delivery): Step[] {
  const { flow, trail, type, fingerprint } = delivery;
  const onProgram = ['--fingerprint', fingerprint];
  const low = givenJson('coverage-low.json', { covered: 79 });
  const wrong = givenJson('coverage-wrong.json', { covered: 'most' });
  const notes = givenFile('review.txt', 'not yet');
  return [
    attest(delivery, 'snyk', 'scan', ...onProgram, '--scan-results', givenScan('scan.json')),
    attest(delivery, 'custom', 'coverage', ...onProgram, '--type', type, '--attestation-data', low),
    {
      ...attest(delivery, 'custom', 'coverage', ...onProgram, '--type', type, '--attestation-data', wrong),
      exit: 1,
      prints: ['covered'],
    },
    attest(delivery, 'junit', 'web.unit', '--results-dir', givenTestResults('failed', 1)),
    attest(delivery, 'generic', 'review', '--compliant=false', '--attachments', notes, '--description', 'Not yet'),
    attest(delivery, 'decision', 'risk', '--control', 'SHOP-RISK', '--compliant=false'),
    {
      args: ['get', 'trail', trail, '--flow', flow],
      exit: 0,
      prints: [/^Compliance: +NON-COMPLIANT$/m, "'generic' attestation reported for review on the trail"],
    },
    {
      args: ['get', 'attestation', 'scan', '--flow', flow, '--trail', trail],
      exit: 0,
      prints: [
        /^Name: +scan$/m,
        /^Type: +snyk$/m,
        /^Compliance: +false$/m,
        new RegExp(`^Artifact fingerprint: +${fingerprint}$`, 'm'),
        new RegExp(`^ +Sha1: +${delivery.repository.commit}$`, 'm'),
        /^ +Branch: +main$/m,
        /^Attestation URL: +http/m,
      ],
    },
    {
      args: ['get', 'attestation', 'coverage', '--flow', flow, '--fingerprint', fingerprint, '-o', 'json'],
      exit: 0,
      json: [{ attestation_type: `custom:${type}`, is_compliant: false, attestation_data: { covered: 79 } }],
    },
    {
      args: ['get', 'attestation', 'review', '--flow', flow, '--trail', trail, '-o', 'json'],
      exit: 0,
      json: [
        {
          attestation_type: 'generic',
          is_compliant: false,
          description: 'Not yet',
          evidence_archive_fingerprint: hash('sha256', 'not yet'),
        },
      ],
    },
    {
      args: ['assert', 'artifact', '--fingerprint', fingerprint, '-o', 'json'],
      exit: 1,
      prints: ['Artifact is not compliant'],
      json: { compliant: false, scope: 'flow', flows: [{ flow, trail, compliant: false }] },
    },
  ];
}

function repairing(delivery: Delivery): Step[] {
  const { flow, trail, type, program, fingerprint } = delivery;
  const onProgram = ['--fingerprint', fingerprint];
  const high = givenJson('coverage-high.json', { covered: 80, tool: 'c8' });
  const onFinding = [...onProgram, '--original-attestation-type', 'snyk', '--new-compliance-status=true'];
  const papers = [givenFile('minutes.txt', 'all agree'), givenFile('vote.txt', '3:0')].join(',');
  return [
    attest(delivery, 'junit', 'web.unit', '--results-dir', givenTestResults('passed', 0)),
    attest(delivery, 'custom', 'coverage', ...onProgram, '--type', type, '--attestation-data', high),
    attest(delivery, 'generic', 'review', '--attachments', papers, '--redact-commit-info', 'author,message'),
    attest(delivery, 'decision', 'risk', '--control', 'SHOP-RISK', '--compliant'),
    { ...attest(delivery, 'override', 'scan', ...onFinding), exit: 1, prints: ['reason'] },
    {
      ...attest(delivery, 'override', 'scan', ...onFinding, '--reason', 'It is a false alarm'),
      prints: [`attestation 'scan' has been overridden in trail: ${trail}`],
    },
    {
      args: ['get', 'attestation', 'scan', '--flow', flow, '--fingerprint', fingerprint, '-o', 'json'],
      exit: 0,
      prints: ['It is a false alarm', '"attestation_type": "snyk"'],
    },
    { args: ['get', 'trail', trail, '--flow', flow], exit: 0, prints: [/^Compliance: +COMPLIANT$/m] },
    {
      args: ['assert', 'artifact', program, '--artifact-type', 'file', '--flow', flow],
      exit: 0,
      prints: [
        /^COMPLIANT$/m,
        new RegExp(`^Flow: ${flow}\n  Trail: ${trail}$`, 'm'),
        /^ +unit +junit +COMPLETE +true/m,
        new RegExp(`^ +coverage +custom:${type} +COMPLETE +true`, 'm'),
        /See more details at http/,
      ],
    },
    {
      args: ['assert', 'artifact', '--fingerprint', fingerprint, '-o', 'json'],
      exit: 0,
      json: { compliant: true, scope: 'flow', flows: [{ flow, trail, compliant: true }] },
    },
  ];
}

/** The older way: no trail is named, and the client asks first which commit was reported last. */
function reportingWithoutTrail(run: string, repository: Repository): Step[] {
  const flow = `${run}-old`;
  const fingerprint = hash('sha256', `old program of ${run}`);
  const report = [
    ...['report', 'artifact', join(repository.path, 'old.txt'), '--artifact-type', 'file', '--flow', flow],
    ...['--repo-root', repository.path],
  ];
  const printed = `artifact old.txt was reported with fingerprint: ${fingerprint}`;
  return [
    { args: ['create', 'flow', flow, '--use-empty-template'], exit: 0, prints: ['was created'] },
    { args: report, env: repository.job, exit: 0, prints: [printed] },
    { args: report, env: repository.job, exit: 0, prints: [printed] },
    {
      args: ['get', 'artifact', `${flow}@${fingerprint}`],
      exit: 0,
      prints: [/^Name: +old\.txt$/m, new RegExp(`^Trail: +${repository.commit}$`, 'm'), /^State: +COMPLIANT$/m],
    },
  ];
}

function refusals(run: string, delivery: Delivery): Step[] {
  const { flow, trail, repository } = delivery;
  const nobody = `${run}-nobody`;
  const stranger = hash('sha256', nobody);
  const misspelt = givenFile('misspelt-trail.yml', 'version: 1\ntrail:\n  artefacts: []\n');
  return [
    {
      args: ['begin', 'trail', nobody, '--flow', nobody],
      exit: 1,
      prints: [`Flow '${nobody}' does not exist in this org`],
    },
    {
      args: ['begin', 'trail', nobody, '--flow', flow, '--template-file', misspelt],
      exit: 1,
      prints: ['line 3, column 3', 'Unknown key "artefacts"'],
    },
    { args: ['get', 'trail', nobody, '--flow', flow], exit: 1, prints: [`Trail '${nobody}' does not exist`] },
    { ...attest(delivery, 'generic', 'review', '--fingerprint', stranger), exit: 1, prints: [stranger, trail] },
    {
      ...attest(delivery, 'custom', 'coverage', '--type', nobody, '--attestation-data', givenJson('any.json', {})),
      exit: 1,
      prints: [nobody],
    },
    { args: ['get', 'artifact', `${flow}@${stranger}`], exit: 1, prints: [stranger] },
    { args: ['assert', 'artifact', '--fingerprint', stranger], exit: 1, prints: [stranger] },
    { args: ['search', stranger], exit: 1, prints: ['Error:', stranger] },
    { args: ['get', 'repo', `${repository.name}-nobody`], exit: 1, prints: [`${repository.name}-nobody`] },
    {
      args: ['get', 'attestation', '--attestation-id', '00000000-0000-7000-8000-000000000000'],
      exit: 0,
      prints: ['No attestations found.'],
    },
  ];
}

function attest(delivery: Delivery, kind: string, name: string, ...flags: readonly string[]): Command {
  const { flow, trail, type, repository } = delivery;
  const [attested = name] = name.split('.').slice(-1);
  return {
    args: ['attest', kind, '--name', name, '--flow', flow, '--trail', trail, '--repo-root', repository.path, ...flags],
    env: repository.job,
    exit: 0,
    prints: [`${kind === 'custom' ? `custom:${type}` : kind} attestation '${attested}' is reported to trail: ${trail}`],
  };
}
