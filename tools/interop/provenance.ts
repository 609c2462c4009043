import { hash } from 'node:crypto';
import { join } from 'node:path';
import { givenRepository } from './given-repository.ts';
import type { Step } from './step.ts';

interface Given {
  readonly env: string;
  readonly flow: string;
  readonly known: Program;
  readonly late: Program;
  readonly commit: string;
  readonly repository: string;
}

interface Program {
  readonly fingerprint: string;
  readonly report: Step;
  readonly attest: Step;
}

/** Provenance is shown for what runs, whether it was known at the start or only afterwards. */
export function provenance(run: string): Step[] {
  const [env, flow, trail] = [`${run}-shop`, `${run}-made`, `${run}-7`];
  const files = { 'known.txt': `known program of ${run}`, 'late.txt': `late program of ${run}` };
  const repository = givenRepository(`acme/${run}-made`, `${run.replace(/\D/g, '')}1`, files, 'running-repository');
  const program = (file: keyof typeof files): Program => {
    const path = join(repository.path, file);
    const fingerprint = hash('sha256', files[file]);
    const inTrail = ['--flow', flow, '--trail', trail, '--repo-root', repository.path];
    return {
      fingerprint,
      report: { args: ['snapshot', 'path', env, '--path', path, '--name', 'shop'], exit: 0, prints: ['[1] artifacts'] },
      attest: {
        args: ['attest', 'artifact', path, '--artifact-type', 'file', '--name', 'web', ...inTrail],
        env: repository.job,
        exit: 0,
        prints: [`was attested with fingerprint: ${fingerprint}`],
      },
    };
  };
  const { commit, name } = repository;
  const given = { env, flow, known: program('known.txt'), late: program('late.txt'), commit, repository: name };
  return [
    { args: ['create', 'flow', flow, '--use-empty-template'], exit: 0, prints: ['was created'] },
    { args: ['create', 'environment', env, '--type', 'server'], exit: 0, prints: ['was created'] },
    {
      args: ['begin', 'trail', trail, '--flow', flow, '--repo-root', repository.path],
      env: repository.job,
      exit: 0,
      prints: ['was begun'],
    },
    ...known(given),
    ...late(given),
    ...afterwards(given),
  ];
}

function known({ env, flow, known: { attest, report, fingerprint }, commit, repository }: Given): Step[] {
  return [
    attest,
    { args: ['get', 'flow', flow], exit: 0, prints: [/^Last Deployment At: +N\/A$/m] },
    report,
    { args: ['get', 'snapshot', env], exit: 0, prints: [rowOf(flow, commit, fingerprint)] },
    {
      args: ['get', 'snapshot', env, '-o', 'json'],
      exit: 0,
      json: {
        index: 1,
        artifacts: [
          {
            flow_name: flow,
            git_commit: commit,
            commit_url: `https://github.com/${repository}/commit/${commit}`,
            deployments: [1],
            flows: [{ flow_name: flow, template_reference_name: 'web', git_commit_info: { message: 'Sell shoes' } }],
          },
        ],
      },
    },
    {
      args: ['get', 'artifact', `${flow}@${fingerprint}`],
      exit: 0,
      prints: [
        new RegExp(`^Running in environments: +${env}#1$`, 'm'),
        new RegExp(`^ +Started running in '${env}', snapshot 1 `, 'm'),
      ],
    },
    {
      args: ['search', fingerprint],
      exit: 0,
      prints: [new RegExp(`^Running in: +\\[ ${env} \\]$`, 'm'), /^Exited from: +\[ {2}\]$/m],
    },
    { args: ['get', 'flow', flow], exit: 0, prints: [/^Last Deployment At: +\S.* ago$/m], settles: true },
  ];
}

/** It runs first and is reported then, which makes a snapshot of its own. */
function late({ env, flow, late: { attest, report, fingerprint }, commit }: Given): Step[] {
  return [
    report,
    { args: ['get', 'snapshot', env], exit: 0, prints: [/^N\/A +Name: shop +N\/A /m, fingerprint] },
    attest,
    { args: ['get', 'snapshot', env], exit: 0, prints: [rowOf(flow, commit, fingerprint)], settles: true },
    {
      args: ['get', 'snapshot', env, '-o', 'json'],
      exit: 0,
      json: { index: 3, artifacts: [{ annotation: { type: 'updated-provenance' }, deployments: [2] }] },
    },
    {
      args: ['get', 'artifact', `${flow}@${fingerprint}`],
      exit: 0,
      prints: [new RegExp(`^Running in environments: +${env}#\\d$`, 'm')],
    },
  ];
}

function afterwards({ env, flow, known, repository, commit }: Given): Step[] {
  const log = (...flags: string[]) => ['log', 'environment', env, ...flags];
  const events = [
    new RegExp(`^#3 +Artifact: shop +${flow}$`, 'm'),
    /^ +Description: Provenance known since snapshot 3: /m,
    new RegExp(`^#1 +Artifact: shop +${flow}$`, 'm'),
  ];
  return [
    {
      args: ['get', 'artifact', `${flow}@${known.fingerprint}`],
      exit: 0,
      prints: [
        new RegExp(`^Exited from environments: +${env}#\\d$`, 'm'),
        new RegExp(`^ +Stopped running in '${env}', snapshot 2 `, 'm'),
      ],
    },
    {
      args: ['search', known.fingerprint],
      exit: 0,
      prints: [/^Running in: +\[ {2}\]$/m, new RegExp(`^Exited from: +\\[ ${env} \\]$`, 'm')],
    },
    { args: log(), exit: 0, prints: [...events, /^#2 +Artifact: shop *$/m] },
    { args: log('--repo', repository), exit: 0, prints: events },
    { args: log('--repo', repository, '--repo', 'acme/nobody'), exit: 0, prints: events },
    { args: log('--repo', 'acme/nobody'), exit: 0, prints: ['No environment events were found.'] },
    {
      args: ['diff', 'snapshots', `${env}#1`, env],
      exit: 0,
      prints: [
        new RegExp(`^ +Flow: +${flow}$`, 'm'),
        new RegExp(`^ +Commit URL: +https://github\\.com/${repository}/commit/${commit}$`, 'm'),
      ],
    },
  ];
}

function rowOf(flow: string, commit: string, fingerprint: string): RegExp {
  return new RegExp(`^${commit.slice(0, 7)} +Name: shop +${flow} .*\n +Fingerprint: ${fingerprint} *$`, 'm');
}
