import type { State } from '../ui/StateBadge.tsx';

export const WASHES: Record<State, string> = {
  compliant: 'fill-good-wash',
  'non-compliant': 'fill-bad-wash',
  unknown: 'fill-unsure-wash',
  waived: 'fill-waived-wash',
};
export const FILLS: Record<State, string> = {
  compliant: 'fill-good-fill',
  'non-compliant': 'fill-bad-fill',
  unknown: 'fill-unsure-fill',
  waived: 'fill-waived-fill',
};
export const TEXTS: Record<State, string> = {
  compliant: 'fill-good',
  'non-compliant': 'fill-bad',
  unknown: 'fill-unsure',
  waived: 'fill-waived',
};
const STROKES: Record<State, string> = {
  compliant: 'stroke-good',
  'non-compliant': 'stroke-bad',
  unknown: 'stroke-unsure',
  waived: 'stroke-waived',
};

/** Each state has a pattern of its own, for those who cannot tell the colors apart: plain, slanted, dotted, upright. */
export function StatePatterns({ id }: { readonly id: string }) {
  return (
    <defs>
      <pattern id={`${id}-non-compliant`} width="6" height="6" patternUnits="userSpaceOnUse">
        <path d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" strokeWidth={1.6} className="stroke-panel" />
      </pattern>
      <pattern id={`${id}-unknown`} width="5" height="5" patternUnits="userSpaceOnUse">
        <circle cx="2.5" cy="2.5" r="1.1" className="fill-panel" />
      </pattern>
      <pattern id={`${id}-waived`} width="6" height="6" patternUnits="userSpaceOnUse">
        <rect width="2" height="6" className="fill-panel" />
      </pattern>
      <pattern id={`${id}-gap`} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="7" height="7" className="fill-panel/75" />
        <rect width="1.5" height="7" className="fill-field/70" />
      </pattern>
    </defs>
  );
}

/** The pattern on top of a state's color; undefined for compliant. */
export function patternOf(id: string, state: State): string | undefined {
  return state === 'compliant' ? undefined : `url(#${id}-${state})`;
}

/** The shape of a state, nine pixels high, around a point. */
export function StateSign({ state, x, y }: { readonly state: State; readonly x: number; readonly y: number }) {
  const stroke = { fill: 'none', strokeWidth: 1.8, strokeLinecap: 'round', className: STROKES[state] } as const;
  if (state === 'compliant') return <path d={`M${x - 4} ${y}l3 3.5l5 -7`} strokeLinejoin="round" {...stroke} />;
  if (state === 'non-compliant') return <path d={`M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7`} {...stroke} />;
  if (state === 'waived')
    return (
      <>
        <circle cx={x} cy={y} r={4} {...stroke} />
        <path d={`M${x} ${y - 4}a4 4 0 0 1 0 8z`} className={TEXTS.waived} />
      </>
    );
  return (
    <text x={x} y={y + 4} textAnchor="middle" className="fill-unsure text-[12px] font-semibold">
      ?
    </text>
  );
}
