interface Attached {
  readonly attached: readonly string[];
  /** The first one; the environments after it were still tried. */
  readonly error: Error | null;
}

/** One request for each environment: one that refuses, or waits for an approval, does not keep the others from theirs. */
export async function attachEach(
  names: readonly string[],
  attach: (name: string) => Promise<unknown>,
): Promise<Attached> {
  const attached: string[] = [];
  let first: Error | null = null;
  for (const name of names) {
    try {
      await attach(name);
      attached.push(name);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      first ??= error;
    }
  }
  return { attached, error: first };
}

/** Such as `prod-release attached to staging and production`. */
export function attachedWords(policy: string, names: readonly string[]): string {
  const [first = '', ...others] = names;
  if (names.length > 2) return `${policy} attached to ${names.length} environments`;
  return `${policy} attached to ${[first, ...others].join(' and ')}`;
}
