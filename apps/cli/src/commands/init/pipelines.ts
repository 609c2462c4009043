import type { ProviderId } from '@waymark/ci-context';
import { version } from '../../run/version.ts';

export interface Repository {
  /** OWNER/NAME, or a placeholder. */
  readonly name: string;
  readonly id: string | undefined;
}

/** The address of the service, and the flow to report to. */
export interface Service {
  readonly host: string;
  readonly org: string;
  readonly flow: string;
}

export interface Pipeline {
  readonly name: string;
  /** The file that shows that a repository uses the system. */
  readonly marks: readonly string[];
  /** Where --write puts the lines. */
  readonly file: string;
  /** A complete pipeline that works as pasted: it begins a trail, and has the other commands as comments. */
  readonly lines: (service: Service) => string;
  /** How to give its jobs access. */
  readonly trust: (repository: Repository, flow: string) => readonly string[];
}

const INSTALL = `npm install --global --ignore-scripts @waymark/cli@${version}`;

/** A job of GitLab has one token, which is accepted once. Its key works in all commands, for 15 minutes. */
const EXCHANGE =
  'if [ -n "$WAYMARK_ID_TOKEN" ]; then (umask 077; waymark auth token --exchange > ~/waymark-key); ' +
  'export WAYMARK_TOKEN_FILE=~/waymark-key WAYMARK_AUTH=token; fi';

/** Comments, as they need names that only the project knows. */
const next = (flow: string) => [
  'build and test here, then record the artifact under the name that the flow template has for it:',
  'waymark attest artifact dist/app.tgz --name app',
  'the test results, scans and SBOMs in a directory:',
  "waymark attest auto 'reports/**' --artifact app",
  'the gate before the deployment; it fails unless the artifact meets the policies of the environment:',
  `waymark assert artifact dist/app.tgz --env production --flow ${flow}`,
];

const runs = (flow: string, spaces: number, before: string, ...commands: string[]) =>
  [...commands.map((command) => `${before}${command}`), ...next(flow).map((text) => `# ${text}`)]
    .map((line) => `${' '.repeat(spaces)}${line}`)
    .join('\n');

const ACCOUNT = 'waymark sa create ci --role member';

/** The least that a pipeline needs. */
const scoped = (flow: string) => `--scope evidence --flow ${flow}`;

const keySteps = (_: Repository, flow: string) => [
  ACCOUNT,
  `waymark key create pipeline --sa ci ${scoped(flow)} --expires 90d`,
  '# store it as the secret that the pipeline reads as WAYMARK_TOKEN',
];

/** One for each CI system: a pipeline, and how to give its jobs access. */
export const pipelines: Readonly<Partial<Record<ProviderId, Pipeline>>> = {
  github: {
    name: 'GitHub Actions',
    marks: ['.github/workflows'],
    file: '.github/workflows/waymark.yml',
    lines: ({ host, org, flow }) => `name: waymark
on: [push]
permissions:
  contents: read
  id-token: write # lets the job prove who it is, so that no key is stored
env:
  WAYMARK_HOST: ${host}
  WAYMARK_ORG: ${org}
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v6
      - run: |
${runs(flow, 10, '', INSTALL, 'waymark begin trail')}
`,
    trust: ({ name, id }, flow) => [
      ACCOUNT,
      `waymark trust add github ${name} --repository-id ${id ?? 'ID'} --sa ci --branch main ${scoped(flow)}`,
      ...(id === undefined ? [`# gh api repos/${name} --jq .id   prints the ID`] : []),
    ],
  },
  gitlab: {
    name: 'GitLab CI',
    marks: ['.gitlab-ci.yml'],
    file: '.gitlab/waymark.yml',
    lines: ({ host, org, flow }) => `# include it in .gitlab-ci.yml: include: [{ local: .gitlab/waymark.yml }]
waymark:
  image: node:26
  variables:
    WAYMARK_HOST: ${host}
    WAYMARK_ORG: ${org}
  id_tokens:
    WAYMARK_ID_TOKEN:
      aud: ${host}/${org}
  script:
${runs(flow, 4, '- ', INSTALL, EXCHANGE, 'waymark begin trail')}
`,
    trust: ({ name, id }, flow) => [
      ACCOUNT,
      `waymark trust add gitlab ${name} --project-id ${id ?? 'ID'} --sa ci --branch main ${scoped(flow)}`,
      ...(id === undefined ? ['# the page of the project shows its ID'] : []),
    ],
  },
  jenkins: {
    name: 'Jenkins',
    marks: ['Jenkinsfile'],
    file: 'waymark.Jenkinsfile',
    lines: ({ host, org, flow }) => `pipeline {
  agent { docker { image 'node:26' } }
  environment {
    WAYMARK_HOST = '${host}'
    WAYMARK_ORG = '${org}'
    WAYMARK_TOKEN = credentials('waymark-token')
    NPM_CONFIG_PREFIX = "\${WORKSPACE_TMP}/npm"
    PATH = "\${WORKSPACE_TMP}/npm/bin:\${env.PATH}"
  }
  stages {
    stage('Build') {
      steps {
        sh '''
${runs(flow, 10, '', INSTALL, 'waymark begin trail')}
        '''
      }
    }
  }
}
`,
    trust: keySteps,
  },
  circleci: {
    name: 'CircleCI',
    marks: ['.circleci/config.yml'],
    file: '.circleci/waymark.yml',
    lines: ({ host, org, flow }) => `# WAYMARK_TOKEN is an environment variable of the project
version: 2.1
jobs:
  build:
    docker:
      - image: cimg/node:26.10
    environment:
      WAYMARK_HOST: ${host}
      WAYMARK_ORG: ${org}
    steps:
      - checkout
      - run:
          name: waymark
          command: |
${runs(flow, 12, '', INSTALL.replace('--global', '--global --prefix ~/.local'), 'waymark begin trail')}
workflows:
  waymark:
    jobs: [build]
`,
    trust: keySteps,
  },
  azure: {
    name: 'Azure Pipelines',
    marks: ['azure-pipelines.yml', 'azure-pipelines.yaml'],
    file: 'waymark.azure-pipelines.yml',
    lines: ({ host, org, flow }) => `pool:
  vmImage: ubuntu-24.04
variables:
  WAYMARK_HOST: ${host}
  WAYMARK_ORG: ${org}
steps:
  - bash: |
      set -e
${runs(flow, 6, '', INSTALL, 'waymark begin trail')}
    env:
      WAYMARK_TOKEN: $(waymark-token) # a secret variable
`,
    trust: keySteps,
  },
  bitbucket: {
    name: 'Bitbucket Pipelines',
    marks: ['bitbucket-pipelines.yml'],
    file: 'waymark.bitbucket-pipelines.yml',
    lines: ({ host, org, flow }) => `# WAYMARK_TOKEN is a secured repository variable
image: node:26
pipelines:
  branches:
    "**":
      - step:
          name: waymark
          script:
${runs(flow, 12, '- ', `export WAYMARK_HOST=${host} WAYMARK_ORG=${org}`, INSTALL, 'waymark begin trail')}
`,
    trust: keySteps,
  },
  buildkite: {
    name: 'Buildkite',
    marks: ['.buildkite/pipeline.yml', '.buildkite/pipeline.yaml'],
    file: '.buildkite/waymark.yml',
    lines: ({ host, org, flow }) => `# WAYMARK_TOKEN is a secret of the agent's environment hook
env:
  WAYMARK_HOST: ${host}
  WAYMARK_ORG: ${org}
steps:
  - label: waymark
    commands:
${runs(flow, 6, '- ', INSTALL, 'waymark begin trail')}
`,
    trust: keySteps,
  },
};

export const pipelineNames = Object.keys(pipelines) as ProviderId[];
