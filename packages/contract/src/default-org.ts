import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';

const DefaultOrg = z.object({ default_org_name: z.string().nullable() }).meta({ id: 'DefaultOrg' });

export const getDefaultOrg = contract({
  id: 'getDefaultOrg',
  summary: 'Get the caller’s default org',
  description:
    'Null if none was chosen or the caller has left it. A credential that is valid in only one org, such as a ' +
    "service account's key, returns that org.",
  tag: 'User',
  method: 'GET',
  path: '/user/default-org',
  access: 'signed_in',
  status: 200,
  reply: DefaultOrg,
  errors: [401, 429, 503],
});

export const setDefaultOrg = contract({
  id: 'setDefaultOrg',
  summary: 'Choose the caller’s default org',
  description: 'A credential that is valid in only one org cannot change it: that org is always the default.',
  tag: 'User',
  method: 'PUT',
  path: '/user/:org',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: DefaultOrg,
  errors: [400, 401, 403, 429, 503],
});
