import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';

const DefaultOrg = z.object({ default_org_name: z.string().nullable() }).meta({ id: 'DefaultOrg' });

export const getDefaultOrg = contract({
  id: 'getDefaultOrg',
  summary: 'Get the caller’s default org',
  description:
    'Null when none was chosen, or the caller has left it. With a credential that is good in one org, such as that of a ' +
    'service account, it is that one.',
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
  description: 'With a credential that is good in one org nothing changes: that one is the default already.',
  tag: 'User',
  method: 'PUT',
  path: '/user/:org',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: DefaultOrg,
  errors: [400, 401, 403, 429, 503],
});
