import { z } from 'zod';

const LONGEST = 4096;

/** The text of an expression with its `${{ }}` around it; what stands inside is not looked at here. */
export const Expression = z
  .string()
  .max(LONGEST, { error: `An expression may be at most ${LONGEST} characters long.` })
  .regex(/^\s*\$\{\{\s*\S[\s\S]*\}\}\s*$/, { error: 'An expression is written as "${{ … }}", with something inside.' });
export type Expression = z.output<typeof Expression>;
