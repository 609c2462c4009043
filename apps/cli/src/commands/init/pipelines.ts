import type { ProviderId } from '@waymark/ci-context';

export interface Repository {
  /** OWNER/NAME, or a placeholder. */
  readonly name: string;
  readonly id: string | undefined;
}

export interface Pipeline {
  readonly name: string;
  /** What tells that a repository uses it. */
  readonly marks: readonly string[];
  /** Where the lines go with --write. */
  readonly file: string;
  readonly lines: (audience: string) => string;
  /** What lets its jobs in. */
  readonly trust: (repository: Repository) => readonly string[];
}

interface Line {
  readonly run?: string;
  /** A command that needs names of the project. */
  readonly fillIn?: string;
  readonly note?: string;
}

const LINES: readonly Line[] = [
  { run: 'waymark begin trail' },
  { note: 'build and test here' },
  { note: 'what was built, under the name that the template of the flow has for it:' },
  { fillIn: 'waymark attest artifact dist/app.tgz --name app' },
  { run: "waymark attest auto 'reports/**'" },
  { note: 'the gate, before it is deployed; it stops the job unless the policies of the environment are satisfied:' },
  { fillIn: 'waymark assert artifact dist/app.tgz --env production' },
];

const written = (spaces: number, before: string) =>
  LINES.map(({ run, fillIn, note }) => {
    const line = run === undefined ? `# ${fillIn === undefined ? note : `${before}${fillIn}`}` : `${before}${run}`;
    return `${' '.repeat(spaces)}${line}`;
  }).join('\n');

const indented = (spaces: number) => written(spaces, '');
const listed = (spaces: number) => written(spaces, '- ');

/** Elsewhere the subject of a token differs from job to job, and only the whole of it can be trusted. */
const KEY_STEPS = [
  'waymark sa create ci --role member',
  'waymark key create pipeline --sa ci --expires 90d   # into the secret WAYMARK_TOKEN of the CI system, beside a variable WAYMARK_HOST',
];

/** One for each CI system: what to add to its pipeline, and how its jobs are let in. */
export const pipelines: Readonly<Partial<Record<ProviderId, Pipeline>>> = {
  github: {
    name: 'GitHub Actions',
    marks: ['.github/workflows'],
    file: '.github/workflows/waymark.yml',
    lines: () => `name: waymark
on: [push]
permissions:
  contents: read
  id-token: write # lets the job prove who it is, so that no key is stored
jobs:
  record:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v6
      # waymark has to be on the PATH of the runner
      - run: |
${indented(10)}
`,
    trust: ({ name, id }) => [
      'waymark sa create ci --role member',
      `waymark trust add github ${name} --repository-id ${id ?? 'ID'} --sa ci --branch main`,
      ...(id === undefined ? [`# gh api repos/${name} --jq .id   prints the ID`] : []),
    ],
  },
  gitlab: {
    name: 'GitLab CI',
    marks: ['.gitlab-ci.yml'],
    file: '.gitlab/waymark.yml',
    lines: (audience) => `# include it in .gitlab-ci.yml: include: [{ local: .gitlab/waymark.yml }]
waymark:
  id_tokens:
    WAYMARK_ID_TOKEN:
      aud: ${audience}
  script:
    # waymark has to be in the image of the job
${listed(4)}
`,
    trust: ({ name, id }) => [
      'waymark sa create ci --role member',
      `waymark trust add gitlab ${name} --project-id ${id ?? 'ID'} --sa ci --branch main`,
      ...(id === undefined ? ['# the page of the project shows its ID'] : []),
    ],
  },
  jenkins: {
    name: 'Jenkins',
    marks: ['Jenkinsfile'],
    file: 'waymark.Jenkinsfile',
    lines: () => `stage('waymark') {
  environment {
    WAYMARK_TOKEN = credentials('waymark-token')
  }
  steps {
    // waymark has to be on the PATH of the agent
    sh '''
${indented(6)}
    '''
  }
}
`,
    trust: () => KEY_STEPS,
  },
  circleci: {
    name: 'CircleCI',
    marks: ['.circleci/config.yml'],
    file: '.circleci/waymark.yml',
    lines: () => `# a step of a job
- run:
    name: waymark
    command: |
${indented(6)}
`,
    trust: () => KEY_STEPS,
  },
  azure: {
    name: 'Azure Pipelines',
    marks: ['azure-pipelines.yml', 'azure-pipelines.yaml'],
    file: 'waymark.azure-pipelines.yml',
    lines: () => `steps:
  - script: |
${indented(6)}
    env:
      WAYMARK_TOKEN: $(WAYMARK_TOKEN)
`,
    trust: () => KEY_STEPS,
  },
  bitbucket: {
    name: 'Bitbucket Pipelines',
    marks: ['bitbucket-pipelines.yml'],
    file: 'waymark.bitbucket-pipelines.yml',
    lines: () => `# a step of a pipeline
- step:
    name: waymark
    script:
${listed(6)}
`,
    trust: () => KEY_STEPS,
  },
  buildkite: {
    name: 'Buildkite',
    marks: ['.buildkite/pipeline.yml', '.buildkite/pipeline.yaml'],
    file: '.buildkite/waymark.yml',
    lines: () => `steps:
  - label: waymark
    command: |
${indented(6)}
`,
    trust: () => KEY_STEPS,
  },
};

export const pipelineNames = Object.keys(pipelines) as ProviderId[];
