import { hash } from 'node:crypto';
import { givenFile } from './client.ts';
import type { Step } from './step.ts';

const PHYSICAL = ['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'azure-apps', 'cloud-run'] as const;

export function environments(run: string): Step[] {
  // In lower case, as names are sorted by their bytes and the steps compare the order of lists.
  const named = (type: string) => `${run}-env-${type.toLowerCase()}`;
  return [
    ...creating(named),
    ...reading(named),
    ...listSteps(run, named),
    ...tagging(named('server')),
    ...joining(named),
    ...renaming(named('s3'), `${run}-env-bucket`, named('k8s')),
    ...archiving(named('lambda')),
    ...reportingByItself(run, named),
    ...refusals(run, named),
  ];
}

type Named = (type: string) => string;

function creating(named: Named): Step[] {
  const create = (name: string, type: string, ...flags: string[]) => [
    ...['create', 'environment', name, '--type', type, ...flags],
  ];
  const members = [named('server'), named('K8S')].join(',');
  return [
    ...PHYSICAL.map(
      (type): Step => ({
        args: create(named(type), type, '--description', `runs on ${type}`),
        exit: 0,
        prints: [`environment ${named(type)} was created`],
      }),
    ),
    { args: create(named('server'), 'server'), exit: 0, prints: [`environment ${named('server')} was created`] },
    {
      args: create(named('logical'), 'logical', '--included-environments', members),
      exit: 0,
      prints: [`environment ${named('logical')} was created`],
    },
    {
      args: create(named('server'), 'docker'),
      exit: 1,
      prints: [`type:cannot be changed: '${named('server')}' is of type server, not docker`],
    },
    { args: create(named('moon'), 'moon'), exit: 1, prints: ['type:must be one of K8S, ECS'] },
    { args: create('not a name', 'server'), exit: 1, prints: ['name:must start with a letter or digit'] },
    {
      args: create(named('moon'), 'logical', '--included-environments', named('moon')),
      exit: 1,
      prints: [`Environment '${named('moon')}' does not exist in this org`],
    },
    {
      args: create(named('moon'), 'logical', '--included-environments', named('logical')),
      exit: 1,
      prints: ['is logical; only physical ones can be included'],
    },
  ];
}

/** The second request to create the server had no description, and so left the first one unchanged. */
function reading(named: Named): Step[] {
  return [
    ...PHYSICAL.map(
      (type): Step => ({
        args: ['get', 'environment', named(type)],
        exit: 0,
        prints: [
          new RegExp(`^Name: +${named(type)}$`, 'm'),
          new RegExp(`^Type: +${type}$`, 'm'),
          new RegExp(`^Description: +runs on ${type}$`, 'm'),
          /^State: +N\/A$/m,
          /^Last Reported At: +N\/A$/m,
          /^Tags: +None$/m,
          /^Policies: +\[\]$/m,
        ],
      }),
    ),
    {
      args: ['get', 'environment', named('logical'), '-o', 'json'],
      exit: 0,
      json: {
        name: named('logical'),
        org: 'acme',
        type: 'logical',
        description: '',
        state: null,
        included_environments: [named('server'), named('K8S')],
        policies: [],
        tags: {},
      },
    },
  ];
}

function listSteps(run: string, named: Named): Step[] {
  const list = (...flags: string[]) => ['list', 'environments', '--name', `${run}-ENV`, ...flags];
  const header = /^NAME +TYPE +LAST REPORT +LAST MODIFIED +TAGS +POLICIES$/m;
  const row = (type: string) => new RegExp(`^${named(type)} +${type} +20\\d\\d-\\S+Z +\\[\\]$`, 'm');
  return [
    { args: list(), exit: 0, prints: [header, ...[...PHYSICAL, 'logical'].map(row)] },
    { args: ['list', 'environments'], exit: 0, prints: [header, row('K8S')] },
    { args: list('-o', 'json'), exit: 0, json: [{ name: named('azure-apps') }, { name: named('cloud-run') }] },
    {
      args: list('--page', '2', '--page-limit', '4'),
      exit: 0,
      prints: [row('lambda'), 'Showing page 2 of 3, total 9 items'],
      lacks: [row('docker')],
    },
    {
      args: list('--page', '3', '--page-limit', '4', '-o', 'json'),
      exit: 0,
      json: { environments: [{ name: named('server') }], page: 3, per_page: 4, total_pages: 3, total_count: 9 },
    },
    { args: list('--page', '9'), exit: 0, prints: ['No environments were found at page number 9.'] },
    {
      args: list('--type', 'K8S', '--type', 'logical'),
      exit: 0,
      prints: [row('K8S'), row('logical')],
      lacks: [row('server')],
    },
    {
      args: list('--sort', 'last_modified_at', '--sort-direction', 'desc', '-o', 'json'),
      exit: 0,
      json: [{ name: named('logical') }, { name: named('cloud-run') }],
    },
    { args: list('--type', 'moon'), exit: 1, prints: ['query.type:must be one of K8S, ECS'] },
    { args: ['list', 'environments', '--name', named('moon')], exit: 0, prints: ['No environments were found.'] },
  ];
}

function tagging(name: string): Step[] {
  const list = (tag: string) => ['list', 'environments', '--name', name, '--tag', tag];
  const listed = new RegExp(`^${name} +server +\\S+ +\\[team=red\\] +\\[\\]$`, 'm');
  return [
    { args: ['tag', 'env', name, '--set', 'team=red', '--set', 'tier=1'], exit: 0, prints: ['added for env'] },
    {
      args: ['get', 'environment', name],
      exit: 0,
      prints: [/^Tags: .*\[team=red\]/m, /^Tags: .*\[tier=1\]/m],
    },
    { args: ['tag', 'environment', name, '--unset', 'tier', '--unset', 'absent'], exit: 0, prints: ['removed for'] },
    { args: list('team:red'), exit: 0, prints: [listed] },
    { args: list('team'), exit: 0, prints: [listed] },
    { args: list('tier'), exit: 0, prints: ['No environments were found.'] },
    {
      args: ['tag', 'environments', `${name}-nobody`, '--set', 'a=b'],
      exit: 1,
      prints: [`Environment '${name}-nobody' does not exist in this org`],
    },
  ];
}

function joining(named: Named): Step[] {
  const join = (physical: string, logical: string) => [
    ...['join', 'environment', '--physical', named(physical), '--logical', named(logical)],
  ];
  const joined = { exit: 0, prints: [`environment '${named('ECS')}' was joined to '${named('logical')}'`] } as const;
  return [
    { args: join('ECS', 'logical'), ...joined },
    { args: join('ECS', 'logical'), ...joined },
    {
      args: ['get', 'environment', named('logical'), '-o', 'json'],
      exit: 0,
      json: { included_environments: [named('server'), named('K8S'), named('ECS')] },
    },
    { args: join('logical', 'logical'), exit: 1, prints: ['physical_env_name:is logical'] },
    { args: join('ECS', 'K8S'), exit: 1, prints: ['only a logical environment can be joined'] },
    { args: join('moon', 'logical'), exit: 1, prints: [`Environment '${named('moon')}' does not exist in this org`] },
  ];
}

function renaming(name: string, renamed: string, taken: string): Step[] {
  const rename = (to: string) => ['rename', 'environment', name, to];
  return [
    { args: rename(renamed), exit: 0, prints: [`environment ${name} was renamed to ${renamed}`] },
    { args: ['get', 'environment', name], exit: 0, prints: [new RegExp(`^Name: +${renamed}$`, 'm')] },
    { args: rename('not~a name'), exit: 1, prints: ['new_name:must start with a letter or digit'] },
    { args: rename(taken), exit: 1, prints: [`new_name:is taken: environment '${taken}' already exists`] },
  ];
}

function archiving(name: string): Step[] {
  const gone = { exit: 1, prints: [`Environment '${name}' does not exist in this org`] } as const;
  return [
    { args: ['archive', 'environment', name], exit: 0, prints: [`environment ${name} was archived`] },
    { args: ['get', 'environment', name], ...gone },
    { args: ['archive', 'environment', name], ...gone },
    { args: ['list', 'environments', '--name', name], exit: 0, prints: ['No environments were found.'] },
  ];
}

/** The client creates a missing environment by itself, and finds it the next time. */
function reportingByItself(run: string, named: Named): Step[] {
  const program = givenFile('by-itself.txt', `program of ${run} by itself`);
  const paths = givenFile('by-itself.yml', `version: 1\nartifacts:\n  web:\n    path: ${program}\n`);
  const commands = {
    path: ['--path', program, '--name', 'web'],
    paths: ['--paths-file', paths],
    server: ['--paths', program],
  };
  const fingerprint = hash('sha256', `program of ${run} by itself`);
  const reports = Object.entries(commands).flatMap(([command, flags]): Step[] => {
    const name = named(`by-${command}`);
    const report = [
      'snapshot',
      command,
      name,
      ...flags,
      '--auto-environment',
      '--environment-description',
      'By itself',
    ];
    const reported = `[1] artifacts were reported to environment ${name}`;
    return [
      { args: report, exit: 0, prints: [`environment ${name} was created`, reported] },
      { args: report, exit: 0, prints: [reported], lacks: [/was created/] },
      {
        args: ['get', 'environment', name],
        exit: 0,
        prints: [/^Type: +server$/m, /^Description: +By itself$/m, /^Last Reported At: +\S.* ago$/m],
      },
      { args: ['get', 'environment', name, '-o', 'json'], exit: 0, json: { latest_snapshot_index: 1 } },
      { args: ['get', 'snapshot', name, '-o', 'json'], exit: 0, json: { index: 1, artifacts: [{ fingerprint }] } },
    ];
  });
  const other = (type: string) => ['snapshot', 'path', named(type), ...commands.path, '--auto-environment'];
  return [
    ...reports,
    { args: other('K8S'), exit: 1, prints: ['already exists with type K8S'] },
    { args: other('logical'), exit: 1, prints: ['cannot report a snapshot to the logical environment'] },
  ];
}

function refusals(run: string, named: Named): Step[] {
  const nobody = `${run}-nobody`;
  const program = givenFile('refused.txt', 'refused');
  const report = (name: string) => ['snapshot', 'path', name, '--path', program, '--name', 'web'];
  return [
    { args: ['get', 'environment', nobody], exit: 1, prints: [`Environment '${nobody}' does not exist in this org`] },
    { args: report(nobody), exit: 1, prints: [`Environment '${nobody}' does not exist in this org`] },
    { args: report(named('K8S')), exit: 1, prints: ['of type K8S', 'takes no server reports'] },
    { args: report(named('logical')), exit: 1, prints: ['is logical and takes no reports'] },
  ];
}
