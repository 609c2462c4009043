/** The first place in which two values differ, with both values; undefined when they are equal. */
export function differenceOf(expected: unknown, actual: unknown, path = ''): string | undefined {
  if (typeof expected === 'number' && typeof actual === 'number') {
    // Seconds are computed in more than one way.
    return Math.abs(expected - actual) < 1e-6 ? undefined : describeDifference(expected, actual, path);
  }
  if (!(isObject(expected) && isObject(actual)))
    return expected === actual ? undefined : describeDifference(expected, actual, path);
  if (Array.isArray(expected) !== Array.isArray(actual)) return describeDifference(expected, actual, path);
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length !== actual.length) {
    return `${elementDifference(expected, actual, path)} (${expected.length} expected, ${actual.length} found)`;
  }
  return elementDifference(expected, actual, path);
}

function elementDifference(expected: object, actual: object, path: string): string | undefined {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const difference = differenceOf(
      (expected as Record<string, unknown>)[key],
      (actual as Record<string, unknown>)[key],
      `${path}.${key}`,
    );
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function describeDifference(expected: unknown, actual: unknown, path: string): string {
  return `${path || 'the whole'} should be ${JSON.stringify(expected)} and is ${JSON.stringify(actual)}`;
}
