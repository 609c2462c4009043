/** Something that is wrong: what it is, how that shows, and what to do about it. */
export class Fault extends Error {
  readonly found: string;
  readonly fix: string;

  constructor(what: string, { found, fix }: { found: string; fix: string }) {
    super(what);
    this.found = found;
    this.fix = fix;
  }
}

export interface Check {
  readonly name: string;
  /** Names of checks without whose success this one has no meaning. They come before it. */
  readonly needs?: readonly string[];
  /** What it means when the part is not configured. Absent for parts that every installation has. */
  readonly without?: string | undefined;
  /** Returns what was found, and rejects with what is wrong. */
  run(): Promise<string>;
}

export type Finding = { readonly name: string } & (
  | { readonly state: 'ok' | 'none' | 'skipped'; readonly text: string }
  | { readonly state: 'failed'; readonly fault: Fault }
);

/** Runs checks side by side, each after those that it needs, and returns the findings in the given order. */
export function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings = new Map<string, Promise<Finding>>();
  for (const check of checks) {
    const needed = (check.needs ?? []).map((name) => {
      const finding = findings.get(name);
      if (!finding) throw new Error(`check '${check.name}' comes before '${name}', which it needs`);
      return finding;
    });
    findings.set(check.name, findAfter(needed, check));
  }
  return Promise.all(findings.values());
}

async function findAfter(needed: readonly Promise<Finding>[], { name, without, run }: Check): Promise<Finding> {
  if (without !== undefined) return { state: 'none', name, text: without };
  for (const finding of await Promise.all(needed)) {
    if (finding.state !== 'ok') return { state: 'skipped', name, text: `needs ${finding.name}` };
  }
  try {
    return { state: 'ok', name, text: await run() };
  } catch (error) {
    const unexpected = { found: reasonOf(error), fix: 'fix that check, and run this again' };
    return { state: 'failed', name, fault: error instanceof Fault ? error : new Fault('Not checked', unexpected) };
  }
}

/** Gives a failure its meaning, and keeps that of a fault. */
export async function orFault<Value>(work: Promise<Value>, what: string, fix: string): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Fault ? error : new Fault(what, { found: reasonOf(error), fix });
  }
}

/** Errors of several addresses carry no text of their own. */
function reasonOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const { message, code, cause } = (inner ?? {}) as { message?: string; code?: string; cause?: unknown };
  const text = message || code || String(error);
  return cause instanceof Error ? `${text}: ${reasonOf(cause)}` : text;
}
