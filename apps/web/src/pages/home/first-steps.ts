interface Step {
  readonly title: string;
  readonly why: string;
  readonly command: string;
  readonly isDone: boolean;
}

/** `serviceUrl` is the address of the service. */
export function stepsOf(serviceUrl: string, org: string, has: Has): readonly Step[] {
  return [
    {
      title: 'Connect the command line',
      why: 'Sign in with an API key, which you create in Settings. The commands below then need no host and no key.',
      command: `npm install --global @waymark/cli\nwaymark auth login --host ${serviceUrl} --org ${org}`,
      isDone: has.flow || has.environment,
    },
    {
      title: 'Create a flow',
      why: 'A flow is the path of one deliverable from commit to release. Its pipeline begins a trail and attests what was checked.',
      command: `waymark flow create shop --org ${org}\nwaymark begin trail release-1 --flow shop --org ${org}`,
      isDone: has.flow,
    },
    {
      title: 'Create an environment',
      why: 'An environment is where your software runs.',
      command: `waymark env create production --type K8S --org ${org}`,
      isDone: has.environment,
    },
    {
      title: 'Report what runs there',
      why: 'Each report that differs from the previous one creates a snapshot. You then see what runs, since when, and where it came from.',
      command: `waymark snapshot k8s production --org ${org}`,
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
        `waymark env policies attach production provenance --org ${org}`,
      ].join('\n'),
      isDone: has.policy,
    },
  ];
}

export interface Has {
  readonly flow: boolean;
  readonly environment: boolean;
  readonly snapshot: boolean;
  readonly policy: boolean;
}
