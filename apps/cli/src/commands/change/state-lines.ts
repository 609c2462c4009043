type State = Readonly<Record<string, unknown>> | null;

/** A state as lines that can be compared. Text of several lines stands below its name. */
export function linesOf(state: State): string {
  return Object.entries(state ?? {})
    .map(([name, value]) => `${name}:${valueLines(value)}\n`)
    .join('');
}

function valueLines(value: unknown): string {
  if (typeof value !== 'string' || value === '') return ` ${JSON.stringify(value)}`;
  const text = value.replace(/\n$/, '');
  return text.includes('\n') ? ` |\n${text.replaceAll(/^/gm, '  ')}` : ` ${text}`;
}
