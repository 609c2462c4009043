/** One thing wrong in a text, where it is (both numbers count from 1), and what to do about it. */
export interface Problem {
  path: string;
  line: number;
  column: number;
  message: string;
}

const SHOWN = 10;

/** One line for each problem, as the message of a refused request or of a command line. */
export function describeProblems(problems: readonly Problem[]): string {
  const lines = problems
    .slice(0, SHOWN)
    .map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  const rest = problems.length - lines.length;
  return (rest > 0 ? [...lines, `and ${rest} more`] : lines).join('\n');
}
