const UNITS = [
  ['d', 24 * 60 * 60],
  ['h', 60 * 60],
  ['min', 60],
  ['s', 1],
] as const;

/** Writes the two largest units, as nobody reads more: `3 d 4 h`, `38 min`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const at = UNITS.findIndex(([, length]) => seconds >= length);
  if (at === -1) return '0 s';
  let left = seconds;
  const parts = UNITS.slice(at, at + 2).map(([unit, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return [count, unit] as const;
  });
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
}

/** Writes two decimals, and 100 % or 0 % only for all or nothing. */
export function percentage(part: number, whole: number): string {
  if (whole === 0) return '–';
  const rounded = Math.round((10_000 * part) / whole) / 100;
  if (rounded === 100 && part < whole) return '> 99.99 %';
  if (rounded === 0 && part > 0) return '< 0.01 %';
  return `${rounded} %`;
}
