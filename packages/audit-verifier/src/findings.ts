/** Something in a package that differs from what was recorded, or does not belong to it. */
export interface Finding {
  readonly path: string;
  readonly problem: string;
}

export interface Findings {
  add(path: string, problem: string): void;
  has(path: string): boolean;
  list(): readonly Finding[];
}

/** So that a package made to be costly is not costly to describe. */
const MAX_FINDINGS = 10_000;

export function createFindings(): Findings {
  const found = new Map<string, Finding>();
  const paths = new Set<string>();
  return {
    add(path, problem) {
      if (found.size >= MAX_FINDINGS) return;
      paths.add(path);
      found.set(`${path}\n${problem}`, { path, problem });
    },
    has: (path) => paths.has(path),
    list: () => [...found.values()],
  };
}
