import { givenFile } from './client.ts';
import type { Step } from './step.ts';

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: pull_request
  artifacts:
    - name: web
      attestations:
        - name: unit
          type: junit
`;

export function flows(run: string): Step[] {
  const [full, empty, listed, renamed] = [`${run}-full`, `${run}-empty`, `${run}-listed`, `${run}-renamed`];
  return [
    ...creating({ full, empty, listed }),
    ...reading({ run, full, empty, listed }),
    ...tagging(full),
    ...renaming(full, renamed),
    ...archiving([empty, listed, renamed]),
    ...refusals(run),
  ];
}

function creating({ full, empty, listed }: Record<'full' | 'empty' | 'listed', string>): Step[] {
  const file = givenFile('template.yml', TEMPLATE);
  const create = (name: string, ...flags: string[]) => ['create', 'flow', name, ...flags];
  return [
    {
      args: create(full, '--description', 'first', '--template-file', file),
      exit: 0,
      prints: [`flow '${full}' was created`],
    },
    {
      args: create(full, '--description', 'second', '--template-file', file),
      exit: 0,
      prints: [`flow '${full}' was updated`],
    },
    { args: create(empty, '--use-empty-template'), exit: 0, prints: [`flow '${empty}' was created`] },
    {
      args: create(listed, '--template', 'unit-test,coverage', '--description', 'by names'),
      exit: 0,
      prints: [`flow '${listed}' was created`],
    },
  ];
}

function reading({ run, full, empty, listed }: Record<'run' | 'full' | 'empty' | 'listed', string>): Step[] {
  const list = (...flags: string[]) => ['list', 'flows', '--name', run, ...flags];
  return [
    {
      args: ['get', 'flow', full],
      exit: 0,
      prints: [
        new RegExp(`^Name: +${full}$`, 'm'),
        /^Description: +second$/m,
        /^ +version: 1$/m,
        /^ +type: junit$/m,
        /^Last Deployment At: +N\/A$/m,
        /^Tags: +None$/m,
      ],
    },
    { args: ['get', 'flow', empty], exit: 0, prints: [/^Description: *$/m, /^ +version: 1$/m] },
    { args: ['get', 'flow', listed], exit: 0, prints: [/^Template: +\[unit-test, coverage, artifact\]$/m] },
    {
      args: ['get', 'flow', full, '-o', 'json'],
      exit: 0,
      json: { name: full, org: 'acme', description: 'second', visibility: 'private', template: TEMPLATE, tags: {} },
    },
    {
      args: list(),
      exit: 0,
      prints: [/^NAME +DESCRIPTION +TAGS$/m, new RegExp(`^${empty} *\n${full} +second *\n${listed} +by names *$`, 'm')],
    },
    { args: ['list', 'flows'], exit: 0, prints: [new RegExp(`^${full} +second`, 'm')] },
    { args: list('-o', 'json'), exit: 0, json: [{ name: empty }, { name: full }, { name: listed }] },
    {
      args: list('--page', '2', '--page-limit', '1'),
      exit: 0,
      prints: [new RegExp(`^${full} +second`, 'm'), 'Showing page 2 of 3, total 3 items'],
    },
    {
      args: list('--page', '2', '--page-limit', '2', '-o', 'json'),
      exit: 0,
      json: { data: [{ name: listed }], pagination: { total: 3, page: 2, per_page: 2, page_count: 2 } },
    },
    { args: list('--page', '9'), exit: 0, prints: ['No flows were found at page number 9'] },
    {
      args: ['list', 'flows', '--name', full.toUpperCase(), '--ignore-case'],
      exit: 0,
      prints: [new RegExp(`^${full} `, 'm')],
    },
  ];
}

function tagging(flow: string): Step[] {
  return [
    { args: ['tag', 'flow', flow, '--set', 'team=red', '--set', 'tier=1'], exit: 0, prints: ['added for flow'] },
    { args: ['get', 'flow', flow], exit: 0, prints: [/^Tags: .*\[team=red\]/m, /^Tags: .*\[tier=1\]/m] },
    {
      args: ['tag', 'flow', flow, '--unset', 'team', '--unset', 'absent'],
      exit: 0,
      prints: ['removed for flow'],
    },
    { args: ['list', 'flows', '--name', flow], exit: 0, prints: [new RegExp(`^${flow} +second +\\[tier=1\\]$`, 'm')] },
  ];
}

function renaming(flow: string, renamed: string): Step[] {
  return [
    { args: ['rename', 'flow', flow, renamed], exit: 0, prints: [`flow ${flow} was renamed to ${renamed}`] },
    { args: ['get', 'flow', flow], exit: 0, prints: [new RegExp(`^Name: +${renamed}$`, 'm'), /^Tags: +\[tier=1\]$/m] },
    {
      args: ['rename', 'flow', renamed, 'not~a name'],
      exit: 1,
      prints: ['new_name:must start with a letter or digit'],
    },
  ];
}

function archiving(names: readonly string[]): Step[] {
  return names.flatMap((name): Step[] => [
    { args: ['archive', 'flow', name], exit: 0, prints: [`flow ${name} was archived`] },
    { args: ['get', 'flow', name], exit: 1, prints: [`Flow '${name}' does not exist in this org`] },
  ]);
}

function refusals(run: string): Step[] {
  const misspelt = givenFile('misspelt.yml', 'version: 1\ntrail:\n  atestations: []\n');
  const nobody = `${run}-nobody`;
  return [
    {
      args: ['create', 'flow', nobody, '--template-file', misspelt],
      exit: 1,
      prints: ['line 3, column 3', 'Unknown key "atestations"', 'Did you mean "attestations"?'],
    },
    { args: ['get', 'flow', nobody], exit: 1, prints: [`Flow '${nobody}' does not exist in this org`] },
    { args: ['archive', 'flow', nobody], exit: 1, prints: [`Flow '${nobody}' does not exist in this org`] },
    { args: ['tag', 'flow', nobody, '--set', 'a=b'], exit: 1, prints: [`Flow '${nobody}' does not exist in this org`] },
    {
      args: ['create', 'flow', 'not a name', '--use-empty-template'],
      exit: 1,
      prints: ['name:must start with a letter or digit'],
    },
    {
      args: ['get', 'flow', nobody],
      env: { KOSLI_API_TOKEN: 'wrong' },
      exit: 1,
      prints: ['Not a valid API key: it looks mistyped or truncated'],
    },
    {
      args: ['list', 'flows'],
      env: { KOSLI_ORG: 'nowhere' },
      exit: 1,
      prints: ['There is no such org, or you are not a member of it'],
    },
  ];
}
