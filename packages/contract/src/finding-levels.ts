import { z } from 'zod';

export const FindingLevel = z.enum(['error', 'warning', 'note']).meta({
  id: 'FindingLevel',
  description: 'Level of a finding, worst first. As a threshold: findings of this level or worse fail',
});
export type FindingLevel = z.infer<typeof FindingLevel>;
