import type { Style } from '../run/style.ts';
import { oneLine, widthOf } from '../run/table.ts';

type Fact = readonly [label: string, value: string | number | null | undefined];

/** Returns the title and, below it, the known values. */
export function factsText(title: string, facts: readonly Fact[]): string {
  const known = facts
    .map(([label, value]): [string, string] => [label, oneLine(String(value ?? ''))])
    .filter(([, value]) => value !== '');
  const width = Math.max(0, ...known.map(([label]) => widthOf(label)));
  return [title, ...known.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)].join('\n');
}

const SIGNS: Readonly<Record<string, readonly [sign: string, tone: 'good' | 'bad' | 'doubtful']>> = {
  compliant: ['✓', 'good'],
  waived: ['✓', 'doubtful'],
  'non-compliant': ['✕', 'bad'],
  missing: ['✕', 'bad'],
};

/** A state with its sign, for readers who do not see colors. */
export function stateText(state: string, style: Style): string {
  const word = state.toLowerCase();
  const [sign, tone] = SIGNS[word] ?? ['?', 'doubtful'];
  return style[tone](`${sign} ${word === 'non-compliant' ? 'NON-COMPLIANT' : word}`);
}

export const formatState = (text: string, _: unknown, style: Style) => stateText(text, style);

export function verdictOf(isCompliant: boolean | null | undefined): string {
  if (isCompliant === null || isCompliant === undefined) return 'unknown';
  return isCompliant ? 'compliant' : 'non-compliant';
}

/** The state of an attestation, whose stored content may be damaged. */
export function attestedState(of: { readonly is_compliant: boolean; readonly unreadable?: true | undefined }): string {
  return of.unreadable ? 'unreadable' : verdictOf(of.is_compliant);
}

export function tagsText(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .join(' ');
}

export function shortDigest(fingerprint: string | null | undefined): string {
  return (fingerprint ?? '').slice(0, 12);
}

/** 3 d 4 h, 5 min, 12 s: as precise as people need it. */
export function spanText(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '';
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const at = Math.max(
    0,
    units.findIndex(([, size]) => seconds >= size),
  );
  const first = seconds < 1 ? units.length - 1 : at;
  let rest = Math.round(seconds);
  const parts = units.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return [count, unit] as const;
  });
  return parts
    .filter(([count], place) => place === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
