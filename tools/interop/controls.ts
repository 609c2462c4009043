import type { Step } from './step.ts';

/** What the catalog of controls is for, with the tags that go with it. */
export function controls(run: string): Step[] {
  const control = `${run}-SDLC.7`;
  return [...creating(control), ...editing(control), ...listSteps(control), ...archiving(control), ...refusals(run)];
}

function creating(control: string): Step[] {
  const create = ['create', 'control', control, '--name', 'Reviewed', '--description', 'Two pairs of eyes'];
  return [
    { args: ['enable', 'beta'], exit: 0 },
    { args: create, exit: 0, prints: [control] },
    { args: create, exit: 1, prints: [`Control '${control}' already exists`] },
    {
      args: ['get', 'control', control],
      exit: 0,
      prints: [
        new RegExp(`^Identifier: +${control}$`, 'm'),
        /^Name: +Reviewed$/m,
        /^Description: +Two pairs of eyes$/m,
        /^Version: +1$/m,
        /^Archived: +false$/m,
        /^Created by: +ada$/m,
      ],
    },
  ];
}

function editing(control: string): Step[] {
  return [
    {
      args: ['update', 'control', control, '--name', 'Reviewed twice', '--link', 'runbook=https://example.com/runbook'],
      exit: 0,
      prints: [control],
    },
    { args: ['tag', 'control', control, '--set', 'framework=soc2', '--set', 'tier=1'], exit: 0, prints: ['added for'] },
    { args: ['tag', 'controls', control, '--unset', 'tier', '--unset', 'absent'], exit: 0, prints: ['removed for'] },
    {
      args: ['get', 'control', control],
      exit: 0,
      prints: [
        /^Name: +Reviewed twice$/m,
        /^Description: +Two pairs of eyes$/m,
        /^Version: +2$/m,
        /^Tags: +framework=soc2$/m,
        /runbook: +https:\/\/example.com\/runbook$/m,
      ],
    },
    {
      args: ['get', 'control', control, '-o', 'json'],
      exit: 0,
      json: { identifier: control, version: 2, archived: false, tags: { framework: 'soc2' }, policies_referencing: [] },
    },
  ];
}

function listSteps(control: string): Step[] {
  const list = (...more: string[]) => ['list', 'controls', '--search', control.toUpperCase(), ...more];
  return [
    {
      args: list(),
      exit: 0,
      prints: [
        new RegExp(`^${control} +Reviewed twice +Two pairs of eyes`, 'm'),
        'Showing page 1 of 1, total 1 controls',
      ],
    },
    { args: list('--tag', 'framework:soc2', '--sort-direction', 'desc'), exit: 0, prints: ['total 1 controls'] },
    { args: list('--tag', 'framework:iso'), exit: 0, prints: ['No controls were found'] },
    { args: list('--page', '9'), exit: 0, prints: ['No controls were found at page number 9'] },
  ];
}

function archiving(control: string): Step[] {
  const list = (...more: string[]) => ['list', 'controls', '--search', control, ...more];
  return [
    { args: ['archive', 'control', control], exit: 0, prints: [control] },
    { args: ['archive', 'control', control], exit: 0, prints: [control] },
    { args: list(), exit: 0, prints: ['No controls were found'] },
    { args: list('--archived'), exit: 0, prints: ['total 1 controls'] },
    { args: ['get', 'control', control], exit: 0, prints: [/^Archived: +true$/m, /^Version: +3$/m] },
    { args: ['unarchive', 'control', control], exit: 0, prints: [control] },
    { args: list(), exit: 0, prints: ['total 1 controls'] },
  ];
}

function refusals(run: string): Step[] {
  const nobody = `${run}-nobody`;
  const missing = `Control '${nobody}' does not exist in this org`;
  return [
    { args: ['get', 'control', nobody], exit: 1, prints: [missing] },
    { args: ['update', 'control', nobody, '--name', 'x'], exit: 1, prints: [missing] },
    { args: ['archive', 'control', nobody], exit: 1, prints: [missing] },
    { args: ['unarchive', 'control', nobody], exit: 1, prints: [missing] },
    { args: ['tag', 'control', nobody, '--set', 'a=b'], exit: 1, prints: [missing] },
    {
      args: ['create', 'control', 'not an identifier', '--name', 'x'],
      exit: 1,
      prints: ['identifier:must contain only letters, digits, and - . _ ~'],
    },
  ];
}
