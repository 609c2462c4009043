import { givenJson } from './given-evidence.ts';
import type { Step } from './step.ts';

const SCHEMA = {
  type: 'object',
  properties: { covered: { type: 'number' }, tool: { type: 'string' } },
  required: ['covered'],
};

/** Creates two versions of a type whose data is compliant from 80 on, and checks them. */
export function attestationTypes(type: string): Step[] {
  const schema = givenJson('coverage-schema.json', SCHEMA);
  const create = (...flags: string[]) => ['create', 'attestation-type', type, ...flags];
  const versions = [{ version: 2 }, { version: 1 }];
  return [
    {
      args: create('--description', 'first', '--jq', '.covered >= 90'),
      exit: 0,
      prints: [`attestation-type ${type} was created`],
    },
    {
      args: create(
        '--description',
        'How much is tested',
        '--schema',
        schema,
        '--jq',
        '.covered >= 80',
        '--summary',
        'Covered=.covered',
      ),
      exit: 0,
      prints: [`attestation-type ${type} was created`],
    },
    {
      args: ['get', 'attestation-type', type],
      exit: 0,
      prints: [
        new RegExp(`^Name: +${type}$`, 'm'),
        /^Description: +How much is tested$/m,
        /^Organization: +acme$/m,
        /^Archived: +false$/m,
        /^ +Version: +2$.*^ +Version: +1$/ms,
        /"covered":\{"type":"number"\}/,
        /^ +Content Type: +jq$/m,
        /^ +\.covered >= 80$/m,
        /^ +\.covered >= 90$/m,
        /^ +Covered: +\.covered$/m,
      ],
    },
    {
      args: ['get', 'attestation-type', `${type}@v1`],
      exit: 0,
      prints: [/^ +Version: +1$/m, /^ +\.covered >= 90$/m],
    },
    {
      args: ['get', 'attestation-type', type, '-o', 'json'],
      exit: 0,
      json: { name: type, org: 'acme', description: 'How much is tested', archived: false, versions },
    },
    {
      args: ['get', 'attestation-type', `${type}@v1`, '-o', 'json'],
      exit: 0,
      json: { name: type, versions: [{ version: 1, evaluator: { content_type: 'jq', rules: ['.covered >= 90'] } }] },
    },
    { args: ['get', 'attestation-type', `${type}@v9`], exit: 1, prints: ['Error:', type] },
    {
      args: ['list', 'attestation-types'],
      exit: 0,
      prints: [/^NAME +DESCRIPTION +LATEST VERSION$/m, new RegExp(`^${type} +How much is tested +2$`, 'm')],
    },
    { args: create('--jq', '.covered >='), exit: 1, prints: ['Error:'] },
  ];
}

export function archivedAttestationType(type: string): Step[] {
  return [
    { args: ['archive', 'attestation-type', type], exit: 0, prints: [`Custom attestation type ${type} was archived`] },
    { args: ['get', 'attestation-type', type], exit: 0, prints: [/^Archived: +true$/m] },
    { args: ['archive', 'attestation-type', `${type}-nobody`], exit: 1, prints: [`'${type}-nobody' does not exist`] },
  ];
}
