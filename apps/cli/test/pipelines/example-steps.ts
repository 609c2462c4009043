import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../given-package.ts';

export type CiEvent = 'push' | 'pull-request';

export interface Trigger {
  readonly event: CiEvent;
  readonly branch: string;
}

/** The examples deploy pushes to the main branch; each system expresses that differently. */
export function isDeployed({ event, branch }: Trigger): boolean {
  return event === 'push' && branch === 'main';
}

/** The script of one step, and its variables besides those of the job. */
export interface Step {
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Values {
  /** Stands for addresses and places in the examples. */
  readonly replaced: Readonly<Record<string, string>>;
  /** The values of the secrets that an example names: for evidence, and for what runs. */
  readonly token: string;
  readonly reporterToken?: string;
}

type Env = Readonly<Record<string, string>>;

const INTEGRATIONS = join(ROOT, 'integrations');

/** The steps that a system would run for its example, according to its documentation. */
export function stepsOf(system: keyof typeof SYSTEMS, trigger: Trigger, values: Values): Step[] {
  let text = readFileSync(join(INTEGRATIONS, 'examples', SYSTEMS[system].file), 'utf8');
  for (const [from, to] of Object.entries(values.replaced)) text = text.replaceAll(from, to);
  return readSteps(system, text, trigger, values);
}

/** The same for any pipeline in the form of the examples. */
export function readSteps(system: keyof typeof SYSTEMS, text: string, trigger: Trigger, values: Values): Step[] {
  return SYSTEMS[system].read(text, trigger, values);
}

const SYSTEMS = {
  github: { file: 'github-actions.yml', read: readGithub },
  gitlab: { file: 'gitlab-ci.yml', read: readGitlab },
  jenkins: { file: 'Jenkinsfile', read: readJenkins },
  circleci: { file: 'circleci.yml', read: readCircle },
  azure: { file: 'azure-pipelines.yml', read: readAzure },
  bitbucket: { file: 'bitbucket-pipelines.yml', read: readBitbucket },
  buildkite: { file: 'buildkite.yml', read: readBuildkite },
  harness: { file: 'harness.yml', read: readHarness },
  teamcity: { file: 'teamcity-settings.kts', read: readTeamcity },
} as const;

export const systems = Object.keys(SYSTEMS) as (keyof typeof SYSTEMS)[];

interface GithubStep {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Env;
  readonly with?: Env;
}

function readGithub(text: string, trigger: Trigger): Step[] {
  const { env, jobs } = parse(text) as { env?: Env; jobs: { build: { steps: GithubStep[] } } };
  return jobs.build.steps.flatMap((step) => {
    if (step.if === "github.event_name == 'push'" && !isDeployed(trigger)) return [];
    if (step.uses?.startsWith('waymark/waymark/integrations/github@')) return actionSteps(step.with ?? {});
    return step.run === undefined ? [] : [{ script: `set -e\n${step.run}`, env: { ...env, ...step.env } }];
  });
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly GithubStep[] };
}

/** Of a composite action: inputs are substituted only where they are named. */
export function actionSteps(given: Env): Step[] {
  const { inputs, runs } = parse(readFileSync(join(INTEGRATIONS, 'github/action.yml'), 'utf8')) as Action;
  const inputOf = (name: string) => given[name] ?? inputs[name]?.default ?? '';
  const filled = (text: string) => text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputOf(name));
  return runs.steps.flatMap((step) => {
    if (step.if === "inputs.command != ''" && inputOf('command') === '') return [];
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]));
    const script = `set -eo pipefail\n${step.run}`;
    return [{ script, env: { ...env, GITHUB_ACTION_PATH: join(INTEGRATIONS, 'github') } }];
  });
}

interface GitlabJob {
  readonly extends?: string;
  readonly variables?: Env;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly rules?: readonly unknown[];
}

function readGitlab(text: string, trigger: Trigger): Step[] {
  const { include, stages, workflow, ...own } = parse(text) as Record<string, GitlabJob> & {
    include?: [{ inputs: Env }];
  };
  if (include && !(stages && workflow)) throw new Error('the example has no stages');
  const jobs: Record<string, GitlabJob> = { ...(include && componentJobs(include[0].inputs)), ...own };
  return Object.entries(jobs).flatMap(([name, job]) => {
    // In our examples only steps that skip merge requests have rules.
    if (name.startsWith('.') || (job.rules && !isDeployed(trigger))) return [];
    const base = jobs[job.extends ?? ''] ?? {};
    const lines = [...(base.before_script ?? []), ...(job.script ?? [])];
    return [{ script: ['set -eo pipefail', ...lines].join('\n'), env: { ...base.variables, ...job.variables } }];
  });
}

export function componentJobs(given: Env): Record<string, GitlabJob> {
  const text = readFileSync(join(INTEGRATIONS, 'gitlab/templates/waymark.yml'), 'utf8');
  const [header, body] = text.split(/^---$/m);
  if (header === undefined || body === undefined) throw new Error('the component has no header');
  const { inputs } = (parse(header) as { spec: { inputs: Record<string, { default?: string }> } }).spec;
  const filled = body.replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => {
    const value = given[name] ?? inputs[name]?.default;
    if (value === undefined) throw new Error(`the component needs ${name}`);
    return value;
  });
  return parse(filled);
}

function readJenkins(text: string, trigger: Trigger): Step[] {
  const [, block = ''] = /environment \{\n(.*?)\n {2}\}/s.exec(text) ?? [];
  const lines = [...block.matchAll(/^\s*(\w+) = (?:'([^']*)'|"([^"]*)"|credentials\('[\w-]+'\))$/gm)];
  const env = Object.fromEntries(
    lines.flatMap(([, name = '', literal, text]) => {
      const value = literal ?? text?.replace(/\$\{(?:env\.)?(\w+)\}/g, '${$1}');
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const stages = text.split(/^ {4}stage\(/m).slice(1);
  return stages
    .filter((stage) => isDeployed(trigger) || !stage.includes("when { branch 'main' }"))
    .flatMap((stage) => [...stage.matchAll(/^\s*sh (?:'''(.*?)'''|'([^'\n]*)')$/gms)])
    .map(([, long, short]) => ({ script: `set -xe\n${long ?? short}`, env }));
}

type CircleStep =
  | 'checkout'
  | { run: string | { command: string; environment?: Env } }
  | { when: { steps: CircleStep[] } };

function readCircle(text: string, trigger: Trigger): Step[] {
  const { jobs } = parse(text) as { jobs: { build: { environment: Env; steps: CircleStep[] } } };
  const { environment, steps } = jobs.build;
  const stepsIn = (step: CircleStep): Step[] => {
    if (typeof step === 'string') return [];
    if ('when' in step) return isDeployed(trigger) ? step.when.steps.flatMap(stepsIn) : [];
    const { command, environment: own } = typeof step.run === 'string' ? { command: step.run } : step.run;
    return [{ script: `set -eo pipefail\n${command}`, env: { ...environment, ...own } }];
  };
  return steps.flatMap(stepsIn);
}

function readAzure(text: string, trigger: Trigger, values: Values): Step[] {
  const { variables, steps } = parse(text) as {
    variables: Env;
    steps: { bash: string; env?: Env; condition?: string }[];
  };
  return steps
    .filter(({ condition }) => condition === undefined || isDeployed(trigger))
    .map(({ bash, env = {} }) => ({
      script: bash,
      env: { ...variables, ...secretsIn(env, values) },
    }));
}

/** As the files of these systems name their secrets. */
function secretsIn(env: Env, { token, reporterToken = token }: Values): Env {
  const secrets: Env = {
    '$(waymark-token)': token,
    '$(waymark-reporter-token)': reporterToken,
    '<+secrets.getValue("waymark_token")>': token,
    '<+secrets.getValue("waymark_reporter_token")>': reporterToken,
  };
  return Object.fromEntries(Object.entries(env).map(([key, value]) => [key, secrets[value] ?? value]));
}

function readBitbucket(text: string, trigger: Trigger): Step[] {
  interface Listed {
    readonly step: { readonly script: readonly string[] };
  }
  const { pipelines } = parse(text) as {
    pipelines: { branches: Record<string, Listed[]>; 'pull-requests'?: { '**': Listed[] } };
  };
  const pushed = pipelines.branches['main'] ?? pipelines.branches['**'] ?? [];
  const listed = isDeployed(trigger) ? pushed : (pipelines['pull-requests']?.['**'] ?? []);
  return listed.map(({ step }) => ({ script: ['set -e', ...step.script].join('\n'), env: {} }));
}

function readBuildkite(text: string, trigger: Trigger): Step[] {
  // A doubled sign stands for one when the pipeline is uploaded.
  const { env, steps } = parse(text.replaceAll('$$', '$')) as {
    env: Env;
    steps: { commands: string[]; if?: string }[];
  };
  return steps
    .filter((step) => step.if === undefined || isDeployed(trigger))
    .map(({ commands }) => ({ script: ['set -e', ...commands].join('\n'), env }));
}

function readHarness(text: string, trigger: Trigger, values: Values): Step[] {
  interface HarnessStep {
    readonly when?: unknown;
    readonly spec: { readonly command: string; readonly envVariables: Env };
  }
  const { pipeline } = parse(text) as {
    pipeline: { stages: { stage: { spec: { execution: { steps: { step: HarnessStep }[] } } } }[] };
  };
  const steps = pipeline.stages.flatMap(({ stage }) => stage.spec.execution.steps.map(({ step }) => step));
  return steps
    .filter(({ when }) => when === undefined || isDeployed(trigger))
    .map(({ spec }) => ({
      script: spec.command,
      env: secretsIn(spec.envVariables, values),
    }));
}

function readTeamcity(text: string, trigger: Trigger): Step[] {
  const params = [...text.matchAll(/param\("env\.(\w+)", "([^"]*)"\)/g)];
  const env = Object.fromEntries(params.map(([, name = '', value = '']) => [name, value]));
  return text
    .split(/^ {8}script \{/m)
    .slice(1)
    .filter((block) => isDeployed(trigger) || !block.includes('teamcity.build.branch.is_default'))
    .map((block) => {
      const [, script = ''] = /scriptContent = """\n(.*?)\n\s*"""\.trimIndent\(\)/s.exec(block) ?? [];
      return { script: script.replace(/^ {16}/gm, '').replaceAll("${'$'}", '$'), env };
    });
}
