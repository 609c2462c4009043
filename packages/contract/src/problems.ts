import { z } from 'zod';

export const ValidationProblem = z
  .object({
    message: z.string().meta({ description: 'What is wrong, for a person' }),
    errors: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: 'Dotted field path to what is wrong with it; null when no field is at fault' }),
  })
  .meta({ id: 'ValidationProblem' });

export const Problem = z
  .object({ message: z.string().meta({ description: 'What is wrong, for a person' }) })
  .meta({ id: 'Problem' });
