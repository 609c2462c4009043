import { z } from 'zod';
import { ChangeControlMode } from './change-control-mode.ts';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';

const ChangeControl = z.strictObject({ mode: ChangeControlMode }).meta({ id: 'ChangeControl' });

export const putChangeControl = contract({
  id: 'putChangeControl',
  summary: 'Set who changes policies, attachments, waivers and trust in an org',
  description:
    'With `off`, the default, members change policies, attach them and grant waivers. With `admins` only admins do; ' +
    'service accounts with that role count as admins. With `two_people` such a change is answered with 202 and a change ' +
    'request, and made when an admin who is another person approves it; that needs two people who are admins. Changing ' +
    'it from `two_people` to anything else has to be approved as well. The page on permissions lists the operations. ' +
    'Repeating it changes nothing and succeeds.',
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
