export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PART = /([a-z0-9!#$%&'*+.^_`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/gi;

/** Parses WWW-Authenticate, which may hold several challenges. A word without "=" begins the next one. */
export function parseChallenges(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const { 1: name = '', 2: quoted, 3: plain } of header.matchAll(PART)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
  }
  return challenges;
}
