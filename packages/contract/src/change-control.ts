import { z } from 'zod';
import { ChangeControlMode } from './change-control-mode.ts';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';

const ChangeControl = z.strictObject({ mode: ChangeControlMode }).meta({ id: 'ChangeControl' });

export const putChangeControl = contract({
  id: 'putChangeControl',
  summary: 'Set the change control mode of an org',
  description:
    'With `off`, the default, members change policies, attach them, and grant waivers. With `admins`, only admins ' +
    'do; service accounts with that role count as admins. With `two_people`, such a change is answered with 202 ' +
    'and a change request, and takes effect once an admin who is another person approves it; this requires two ' +
    'people who are admins. Changing the mode from `two_people` to another one also needs approval. The ' +
    'permissions page lists the operations. Repeating the request changes nothing and succeeds.',
  tag: 'Organizations',
  method: 'PUT',
  path: '/organizations/:org/change_control',
  access: 'manage_org',
  params: OrgParams,
  body: ChangeControl,
  status: 200,
  reply: ChangeControl,
  errors: [400, 401, 403, 409, 413, 429, 503],
});
