import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';

export const changeControlModes = ['off', 'admins', 'two_people'] as const;

export const ChangeControlMode = z.enum(changeControlModes).meta({
  id: 'ChangeControlMode',
  description:
    'Who changes policies, their attachments, waivers and trust. `off`: whoever has the role for it. `admins`: admins ' +
    'alone. `two_people`: whoever has the role asks, and an admin who is another person approves',
});
export type ChangeControlMode = z.infer<typeof ChangeControlMode>;

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
