import { z } from 'zod';

export const changeControlModes = ['off', 'admins', 'two_people'] as const;

export const ChangeControlMode = z.enum(changeControlModes).meta({
  id: 'ChangeControlMode',
  description:
    'Who can change policies, their attachments, waivers, and trust. `off`: everyone with the required role. ' +
    '`admins`: only admins. `two_people`: everyone with the required role can request a change, and an admin who ' +
    'is another person approves it',
});
export type ChangeControlMode = z.infer<typeof ChangeControlMode>;
