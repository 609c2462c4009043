import { z } from 'zod';

export const changeControlModes = ['off', 'admins', 'two_people'] as const;

export const ChangeControlMode = z.enum(changeControlModes).meta({
  id: 'ChangeControlMode',
  description:
    'Who changes policies, their attachments, waivers and trust. `off`: whoever has the role for it. `admins`: admins ' +
    'alone. `two_people`: whoever has the role asks, and an admin who is another person approves',
});
export type ChangeControlMode = z.infer<typeof ChangeControlMode>;
