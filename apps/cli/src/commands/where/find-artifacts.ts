import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { getTrail, listAttestations, listTrails, searchSha } from '@waymark/contract';
import { artifactOf, isArtifactForm } from '../../explain/subject.ts';
import { unlessMissing } from '../../resources/unless-missing.ts';
import type { Session } from '../../run/session.ts';

export interface FoundArtifact {
  readonly flow: string;
  readonly fingerprint: string;
}

/** There is no index of tickets and pull requests, so this limits how far back to search. */
const MAX_SEARCHED = 1_000;
const MAX_TRAILS = 50;

/** Returns the artifacts of a commit, a reference, a ticket or a pull request. An existing file is a path. */
export async function findArtifacts(session: Session, text: string): Promise<FoundArtifact[]> {
  const isThere = existsSync(resolve(session.io.cwd, text));
  if (isThere || isArtifactForm(text)) return bySha(session, await artifactOf(session, text));
  const digits = text.toLowerCase();
  if (/^[0-9a-f]{5,64}$/.test(digits)) return bySha(session, digits);
  return byText(session, text);
}

async function bySha(session: Session, sha: string): Promise<FoundArtifact[]> {
  const params = { org: session.need('org'), sha };
  const found = await unlessMissing(session.client().call(searchSha, { params, signal: session.io.signal }));
  return (found?.artifacts ?? []).filter(({ flow }) => flow !== '');
}

async function byText(session: Session, text: string): Promise<FoundArtifact[]> {
  const isMeant = wholeWord(text);
  const trails = new Map<string, { flow_name: string; trail_name: string }>();
  const found = new Map<string, FoundArtifact>();
  const add = (flow: string, fingerprint: string) => found.set(`${flow} ${fingerprint}`, { flow, fingerprint });
  for await (const attestation of newest(session, attestationsOf(session), 'attestations about tickets and reviews')) {
    const { attestation_data, external_urls, flow_name, trail_name, artifact_fingerprint } = attestation;
    if (!isMeant(JSON.stringify([attestation_data, external_urls]))) continue;
    if (artifact_fingerprint === null) trails.set(`${flow_name}/${trail_name}`, { flow_name, trail_name });
    else add(flow_name, artifact_fingerprint);
  }
  for await (const { flow_name, name, ...trail } of newest(session, trailsOf(session), 'trails')) {
    const { description, git_commit_info, origin_url, user_data } = trail;
    if (!isMeant(JSON.stringify([name, description, git_commit_info, origin_url, user_data]))) continue;
    trails.set(`${flow_name}/${name}`, { flow_name, trail_name: name });
  }
  for (const { flow_name, trail_name } of [...trails.values()].slice(0, MAX_TRAILS)) {
    for (const fingerprint of await artifactsOf(session, flow_name, trail_name)) add(flow_name, fingerprint);
  }
  return [...found.values()];
}

/** ABC-12 does not match ABC-1, nor …/pull/81 …/pull/8. */
function wholeWord(text: string): (within: string) => boolean {
  const quoted = JSON.stringify(text).slice(1, -1);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(quoted)}(?![\\p{L}\\p{N}])`, 'iu');
  return (within) => pattern.test(within);
}

function attestationsOf(session: Session) {
  return session.client().items(listAttestations, {
    params: { org: session.need('org') },
    query: { type: ['jira', 'pull_request'], per_page: 100 },
    signal: session.io.signal,
  });
}

function trailsOf(session: Session) {
  return session.client().items(listTrails, {
    params: { org: session.need('org') },
    query: { per_page: 100 },
    signal: session.io.signal,
  });
}

async function* newest<Item>(session: Session, items: AsyncIterable<Item>, what: string): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of items) {
    if (count++ === MAX_SEARCHED) {
      session.say(`Only the newest ${MAX_SEARCHED} ${what} were searched`);
      return;
    }
    yield item;
  }
}

async function artifactsOf(session: Session, flow_name: string, trail_name: string): Promise<string[]> {
  const params = { org: session.need('org'), flow_name, trail_name };
  const trail = await session.client().call(getTrail, { params, signal: session.io.signal });
  const statuses = Object.values(trail.compliance_status.artifacts_statuses);
  return statuses.flatMap(({ artifact_fingerprint }) => artifact_fingerprint ?? []);
}
