import { paths } from '../../lib/paths.ts';

interface Step {
  readonly title: string;
  readonly why: string;
  /** Undefined where it is done in the browser. */
  readonly command?: string;
  /** Pages of this application where it can be done. */
  readonly pages?: readonly StepPage[];
  /** Pages of the documentation with what to copy. */
  readonly guides?: readonly StepPage[];
  readonly isDone: boolean;
}

interface StepPage {
  readonly label: string;
  readonly href: string;
}

/** What the org has. Members with roles that do not see some of it get no step for that. */
export interface Has {
  readonly flow: boolean;
  /** For the commands to copy. */
  readonly flowName?: string | undefined;
  readonly environment: boolean;
  readonly environmentName?: string | undefined;
  readonly environmentType?: string | undefined;
  readonly snapshot: boolean;
  readonly policy: boolean;
  readonly serviceAccount?: boolean;
  readonly colleague?: boolean;
}

const GUIDES = [
  ['GitHub Actions', 'github-actions'],
  ['GitLab CI', 'gitlab-ci'],
  ['Jenkins', 'jenkins'],
  ['Azure Pipelines', 'azure-pipelines'],
  ['Others', 'ci'],
] as const;

/** `serviceUrl` is the address of the service. */
export function stepsOf(serviceUrl: string, org: string, has: Has): readonly Step[] {
  const { flowName = 'shop', environmentName = 'production', environmentType = 'server' } = has;
  const report = reportCommand({ org, flowName, environmentName, environmentType });
  const pipeline: Step = {
    title: 'Connect your pipeline',
    why: 'Create a service account with a key for it, and copy the pipeline of your CI system. Its first trail appears here by itself.',
    pages: [{ label: 'Create service account', href: paths.settings(org, 'service-accounts') }],
    guides: GUIDES.map(([label, page]) => ({ label, href: paths.guide(page) })),
    isDone: has.serviceAccount === true && has.flow,
  };
  const colleague: Step = {
    title: 'Invite a colleague',
    why: 'Decisions and waivers count most when they are of someone else than the author. Notifications say what becomes non-compliant.',
    pages: [
      { label: 'Invite', href: paths.settings(org, 'members') },
      { label: 'Set up notifications', href: paths.notifications(org) },
    ],
    isDone: has.colleague === true,
  };
  return [
    {
      title: 'Connect the command line',
      why: 'Sign in with an API key of yours. The commands below then need no host and no key.',
      command: `npm install --global @waymark/cli\nwaymark auth login --host ${serviceUrl} --org ${org}`,
      pages: [{ label: 'Create API key', href: paths.settings(org, 'keys') }],
      guides: [{ label: 'Without npm', href: paths.guide('install') }],
      isDone: has.flow || has.environment,
    },
    {
      title: 'Create a flow',
      why: 'A flow is the path of one deliverable from commit to release. Its pipeline begins a trail and attests what was checked.',
      command: `waymark flow create ${flowName} --org ${org}\nwaymark begin trail release-1 --flow ${flowName} --org ${org}`,
      pages: [{ label: 'Create flow', href: paths.flows(org) }],
      isDone: has.flow,
    },
    ...(has.serviceAccount === undefined ? [] : [pipeline]),
    {
      title: 'Create an environment',
      why: 'An environment is where your software runs. This one is a server; clusters and cloud services are others.',
      command: `waymark env create ${environmentName} --type server --org ${org}`,
      pages: [{ label: 'Create environment', href: paths.environments(org) }],
      isDone: has.environment,
    },
    {
      title: 'Report what runs there',
      why: 'Each report that differs from the previous one creates a snapshot. You then see what runs, since when, and where it came from. Here a small file takes the place of your software: it is recorded as built, and then as running.',
      ...(report !== undefined && { command: report }),
      guides: [{ label: 'Other kinds of environments', href: paths.guide('reporters') }],
      isDone: has.snapshot,
    },
    {
      title: 'Attach a policy',
      why: 'Without a policy nothing is compliant or non-compliant. This one requires provenance of every running artifact.',
      command: [
        "cat > provenance.yml <<'YAML'",
        '_schema: https://waymark.example.com/policy/v1',
        'artifacts:',
        '  provenance: { required: true }',
        'YAML',
        `waymark policy apply -f provenance.yml --org ${org}`,
        `waymark env policies attach ${environmentName} provenance --org ${org}`,
      ].join('\n'),
      pages: [{ label: 'Write a policy', href: paths.policies(org) }],
      guides: [{ label: 'Policies to copy', href: paths.guide('policy-cookbook') }],
      isDone: has.policy,
    },
    ...(has.colleague === undefined ? [] : [colleague]),
  ];
}

interface Reported {
  readonly org: string;
  readonly flowName: string;
  readonly environmentName: string;
  readonly environmentType: string;
}

/** Works as pasted where it needs no more than a shell or the current cluster; other types are in the guide. */
function reportCommand({ org, flowName, environmentName, environmentType }: Reported): string | undefined {
  if (environmentType === 'K8S') return `waymark snapshot k8s ${environmentName} --org ${org}`;
  if (environmentType !== 'server') return undefined;
  return [
    "echo 'echo hello' > hello.sh",
    `waymark attest artifact hello.sh --flow ${flowName} --trail release-1 --build-url https://ci.example.com/1 --commit-url https://git.example.com/1 --org ${org}`,
    `waymark snapshot server ${environmentName} "$PWD/hello.sh" --org ${org}`,
  ].join('\n');
}
