/** Returns an array as PostgreSQL writes it, of values that need no quotes. */
export function arrayText(values: readonly (string | number)[]): string {
  return `{${values.join()}}`;
}
