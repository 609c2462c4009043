import type { ChangeRequest } from '@waymark/contract';

export const STATE_LABELS: Readonly<Record<ChangeRequest['state'], string>> = {
  pending: 'Waiting',
  approved: 'Approved',
  refused: 'Refused',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
};

type SubjectState = ChangeRequest['before'];

/** A state as lines that can be compared. Text of several lines stands below its name. */
export function linesOf(state: SubjectState): string {
  return Object.entries(state ?? {})
    .map(([name, value]) => `${name}:${valueLines(value)}\n`)
    .join('');
}

function valueLines(value: unknown): string {
  if (typeof value !== 'string' || value === '') return ` ${JSON.stringify(value)}`;
  const text = value.replace(/\n$/, '');
  return text.includes('\n') ? ` |\n${text.replaceAll(/^/gm, '  ')}` : ` ${text}`;
}

/** How many changes wait, for the home page. */
export function waitingWords(count: number): string {
  return count === 1 ? '1 change waits for approval' : `${count} changes wait for approval`;
}
