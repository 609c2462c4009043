/** So that a report has about 230 bytes for each artifact. */
const NAME_LENGTH = 114;
const STARTED_AT = 1_790_000_000;

export interface Artifact {
  readonly name: string;
  readonly fingerprint: string;
}

/** Identifies an artifact by its number, in all names derived from it. */
export function token(number: number): string {
  return `service-${String(number).padStart(5, '0')}`;
}

export function shortName(number: number): string {
  return `registry.example.com/acme/${token(number)}`;
}

export function longName(number: number): string {
  return `registry.example.com/acme/platform/${token(number)}`.padEnd(NAME_LENGTH, '-and-so-on');
}

/** As one version of each runs; another version gives other fingerprints. */
export function artifacts(count: number, version = 0): Artifact[] {
  return Array.from({ length: count }, (_, i) => ({
    name: longName(i + 1),
    fingerprint: `${version.toString(16).padStart(8, '0')}${(i + 1).toString(16).padStart(56, '0')}`,
  }));
}

export function entryOf({ name, fingerprint }: Artifact): string {
  return `{"digests":{"${name}":"${fingerprint}"},"creationTimestamp":${STARTED_AT}}`;
}

/** The body of a report of the type server. */
export function reportOf(running: readonly Artifact[]): string {
  return `{"artifacts":[${running.map(entryOf).join(',')}]}`;
}

/** What the server stores about the instances of such an artifact. */
export const DETAIL = `{"timestamps":[${STARTED_AT}]}`;

export function reportPath(environment: string): string {
  return `/environments/acme/${environment}/report/server`;
}
