export interface TemplateProblem {
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const PLACE = /line (\d+), column (\d+): (.*)$/;

/**
 * The server's errors about a template, by position. Lines without a position are left out, to be shown as they are.
 */
export function templateProblems(reply: string | undefined): readonly TemplateProblem[] {
  return (reply ?? '').split('\n').flatMap((line) => {
    const [, row, column, message] = PLACE.exec(line) ?? [];
    return row === undefined || column === undefined || message === undefined
      ? []
      : [{ line: Number(row), column: Number(column), message }];
  });
}

/** The offset of a position in the text, for the cursor. */
export function offsetOf(text: string, { line, column }: Pick<TemplateProblem, 'line' | 'column'>): number {
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((length, one) => length + one.length + 1, 0);
  return Math.min(text.length, start + column - 1);
}

/** YAML, or the older form: a list of names. */
export function templateText(template: string | readonly string[]): string {
  return typeof template === 'string' ? template : template.join('\n');
}
