import type { ChangeRequest } from './change-requests.ts';

/** The state of a subject before or after a change, as comparable lines. Multi-line text follows its name. */
export function stateLines(state: ChangeRequest['before']): string {
  return Object.entries(state ?? {})
    .map(([name, value]) => `${name}:${valueLines(value)}\n`)
    .join('');
}

function valueLines(value: unknown): string {
  if (typeof value !== 'string' || value === '') return ` ${JSON.stringify(value)}`;
  const text = value.replace(/\n$/, '');
  return text.includes('\n') ? ` |\n${text.replaceAll(/^/gm, '  ')}` : ` ${text}`;
}
