import { inWords } from '@waymark/positioned-yaml';
import { z } from 'zod';
import { MAX_EXPRESSION_LENGTH } from './parse-expression.ts';

const WHOLE = /^\s*\$\{\{\s*\S[\s\S]*\}\}\s*$/;
const EXAMPLE = `'\${{ flow.name == "web" }}'`;

/** The text of an expression with its `${{ }}`; the inside is not checked here. */
export const ExpressionText = z
  .string({ error: ({ input }) => (input === undefined ? undefined : notTextMessage(input)) })
  .max(MAX_EXPRESSION_LENGTH, {
    abort: true,
    error: `An expression may be at most ${MAX_EXPRESSION_LENGTH} characters long.`,
  })
  .regex(WHOLE, { error: ({ input }) => shapeMessage(String(input)) });

function notTextMessage(input: unknown): string {
  return `An expression is text in quotes, such as ${EXAMPLE}, not ${inWords(input)}.`;
}

function shapeMessage(text: string): string {
  // YAML treats an unquoted " #" as the beginning of a comment.
  if (text.startsWith('${{') && !text.includes('}}')) {
    return `The expression has no "}}" at its end; put all of it in quotes, as in ${EXAMPLE}.`;
  }
  return `An expression is written as "\${{ … }}", with something inside.`;
}
