import { z } from 'zod';

export const ExceptionSearch = z.object({
  show: z.enum(['active', 'all']).default('active'),
  env: z.string().optional(),
  page: z.coerce.number().int().min(1).default(1),
  after: z.string().optional(),
});
export type ExceptionSearch = z.output<typeof ExceptionSearch>;
export type ChangeExceptions = (changes: Partial<z.input<typeof ExceptionSearch>>) => void;
