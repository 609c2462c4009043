import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { getEnvironment, searchSha } from '@waymark/contract';
import { identifyArtifact } from '../evidence/artifact-reference.ts';
import { snapshotReference, trailReference } from '../resources/references.ts';
import { unlessMissing } from '../resources/unless-missing.ts';
import { CliError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';

/** The subject that a word on the command line names. */
export type Subject =
  | { readonly kind: 'artifact'; readonly fingerprint: string }
  | { readonly kind: 'environment'; readonly env_name: string; readonly snapshot: string | undefined }
  | { readonly kind: 'trail'; readonly flow_name: string; readonly trail_name: string };

export const SNAPSHOT_HELP =
  "Snapshots: prod is the latest, 'prod#7' the seventh, prod~1 the one before the latest, 'prod@{2026-11-01T12:00:00}' " +
  "and 'prod@{3.days.ago}' what ran at that time (UTC). Quote # and {}, because shells interpret them.";

const NAME = '[a-zA-Z0-9][a-zA-Z0-9._-]*';
const isNameAlone = new RegExp(`^${NAME}$`);
const isPair = new RegExp(`^${NAME}/${NAME}$`);

/** The default is the trail of the build. An existing path with a slash wins over a trail of that name. */
export async function subjectOf(session: Session, text: string | undefined): Promise<Subject> {
  if (text === undefined) return { kind: 'trail', ...trailReference(session, undefined) };
  if (isArtifactForm(text)) return artifact(session, text);
  const isThere = existsSync(resolve(session.io.cwd, text));
  if (isPair.test(text) && !isThere) return { kind: 'trail', ...trailReference(session, text) };
  if (text.includes('/')) return artifact(session, text);
  if (/^[0-9a-f]{5,64}$/i.test(text)) {
    const found = await foundBySha(session, text.toLowerCase());
    if (found) return { kind: 'artifact', fingerprint: text.toLowerCase() };
  }
  const { env_name, snapshot_expression } = snapshotReference(text);
  if (!isNameAlone.test(text)) return { kind: 'environment', env_name, snapshot: snapshot_expression };
  if (isThere && !(await isEnvironment(session, env_name))) return artifact(session, text);
  return { kind: 'environment', env_name, snapshot: undefined };
}

/** Words that can only name an artifact. */
export function isArtifactForm(text: string): boolean {
  return /^(oci:\/\/|oci-layout:|sha256:|\.{0,2}\/)/.test(text) || /^[0-9a-f]{64}$/i.test(text);
}

/** A fingerprint, a prefix of five digits or more, or a local file. */
export async function artifactOf(session: Session, text: string): Promise<string> {
  const digits = text.replace(/^sha256:/i, '').toLowerCase();
  if (/^[0-9a-f]{5,64}$/.test(digits) && (text !== digits || !existsSync(resolve(session.io.cwd, text)))) return digits;
  const { fingerprint } = await identifyArtifact(session, text);
  session.detail(`${text} has the fingerprint ${fingerprint}`);
  return fingerprint;
}

async function artifact(session: Session, text: string): Promise<Subject> {
  return { kind: 'artifact', fingerprint: await artifactOf(session, text) };
}

async function isEnvironment(session: Session, env_name: string): Promise<boolean> {
  const params = { org: session.need('org'), env_name };
  const found = await unlessMissing(session.client().call(getEnvironment, { params, signal: session.io.signal }));
  return found !== undefined;
}

async function foundBySha(session: Session, sha: string): Promise<boolean> {
  const params = { org: session.need('org'), sha };
  const found = await unlessMissing(session.client().call(searchSha, { params, signal: session.io.signal }));
  return (found?.resolved_to.fingerprints.count ?? 0) > 0;
}

export function unknownArtifact(fingerprint: string): CliError {
  return new CliError('notFound', `No flow reported artifact ${fingerprint}`, {
    fix: "Report it with 'waymark attest artifact', or search for it with 'waymark search'",
  });
}
