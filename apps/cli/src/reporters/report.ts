import {
  AzureAppsReport,
  CloudRunReport,
  CloudxAppsReport,
  DockerReport,
  EcsReport,
  K8sReport,
  LambdaReport,
  REPORT_MAX_ARTIFACTS,
  S3Report,
  ServerReport,
} from '@waymark/contract';
import { CliError } from '../run/cli-error.ts';

export const reportShapes = {
  K8S: K8sReport,
  ECS: EcsReport,
  S3: S3Report,
  lambda: LambdaReport,
  server: ServerReport,
  docker: DockerReport,
  'cloudx-apps': CloudxAppsReport,
  'azure-apps': AzureAppsReport,
  'cloud-run': CloudRunReport,
} as const;

export type ReportType = keyof typeof reportShapes;

type ArtifactsOf<Type extends ReportType> = (typeof reportShapes)[Type]['_output']['artifacts'];

/** Everything that runs, as sent. */
export type ReportOf<Type extends ReportType> = {
  [Each in Type]: { readonly type: Each; readonly artifacts: ArtifactsOf<Each> };
}[Type];

export type Report = ReportOf<ReportType>;

export function isReportType(text: unknown): text is ReportType {
  return typeof text === 'string' && Object.hasOwn(reportShapes, text);
}

/** A report is refused as a whole, so one odd name must not hide the rest. */
export function plainText(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\uFFFD');
}

const MAX_NAME_LENGTH = 500;
const SUFFIX_LENGTH = '@sha256:'.length + 64;

/**
 * Name to digest, where the empty digest means unidentified. Two artifacts with one name but different digests are both
 * listed.
 */
export function digestsOf(found: Iterable<readonly [name: string, digest: string]>): Record<string, string> {
  const digests = new Map<string, string>();
  for (const [name, digest] of found) {
    const key = artifactName(name, MAX_NAME_LENGTH);
    const known = digests.get(key);
    if (known === undefined) digests.set(key, digest);
    else if (known !== digest)
      digests.set(artifactName(name, MAX_NAME_LENGTH - SUFFIX_LENGTH) + suffixOf(digest), digest);
  }
  return Object.fromEntries(digests);
}

function suffixOf(digest: string): string {
  return digest === '' ? '@unidentified' : `@sha256:${digest}`;
}

/** JSON readers refuse a member of that name. */
function artifactName(name: string, maxLength: number): string {
  const plain = plainText(name, maxLength);
  if (plain === '__proto__') return './__proto__';
  return plain === '' ? 'unnamed' : plain;
}

/** Returns the last 64 digits of an image reference; empty if there are none. */
export function digestIn(text: string | null | undefined): string {
  return /(?:^|[^a-f0-9])([a-f0-9]{64})$/.exec(text ?? '')?.[1] ?? '';
}

/** A partial report would say that the rest has stopped. */
export function requireSendable(count: number, what: string, fix: string): void {
  if (count <= REPORT_MAX_ARTIFACTS) return;
  throw new CliError('usage', `More than ${REPORT_MAX_ARTIFACTS} ${what} are too many for one report`, { fix });
}
