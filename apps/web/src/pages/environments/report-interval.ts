const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];
const WRITTEN = /^(\d{1,8})\s*(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)$/i;

/** `30 s`, `5 min`, `1 h`, `2 days` in seconds; undefined for anything else. */
export function readInterval(text: string): number | undefined {
  const [, count, unit = ''] = WRITTEN.exec(text.trim()) ?? [];
  if (count === undefined) return undefined;
  const letter = unit.charAt(0).toLowerCase();
  const length = UNITS.find(([name]) => name.startsWith(letter))?.[1];
  return length === undefined ? undefined : Number(count) * length;
}

/** In the largest unit that expresses it exactly. */
export function writeInterval(seconds: number): string {
  const [unit, length] = UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? ['s', 1];
  return `${seconds / length} ${unit}`;
}
