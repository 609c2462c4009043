import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ApiError, type Client, createClient, UnexpectedAnswerError, UnreachableError } from '@waymark/client';
import { readKey } from '../auth/key-for.ts';
import { unlessMissing } from '../resources/unless-missing.ts';
import { CliError, usageError } from '../run/cli-error.ts';
import { failureOf } from '../run/failure.ts';
import { clientOptions } from '../run/open-session.ts';
import { longFlag } from '../run/resolve-settings.ts';
import type { Session } from '../run/session.ts';
import { type SettingName, settingOf } from '../run/settings.ts';
import * as api from './source-contracts.ts';

const PAGE = 100;
const LATEST = '-1';

/** The org that an import reads. What the source does not have is undefined. */
export interface Source {
  readonly host: string;
  readonly org: string;
  types(): AsyncIterable<api.SourceType>;
  flows(): AsyncIterable<api.SourceFlow>;
  trails(flow: string): AsyncIterable<{ name: string; created_at?: string | number | null | undefined }>;
  trail(flow: string, trail: string): Promise<api.SourceTrail | undefined>;
  artifacts(flow: string): AsyncIterable<{ fingerprint: string; trail_name?: string | null | undefined }>;
  artifact(flow: string, fingerprint: string, trail?: string): Promise<api.SourceArtifact | undefined>;
  attestation(id: string): Promise<api.SourceAttestation | undefined>;
  attestationsNamed(flow: string, trail: string, name: string): AsyncIterable<api.SourceAttestation>;
  attachment(flow: string, trail: string, id: string): Promise<Response | undefined>;
  environments(): AsyncIterable<api.SourceEnvironment>;
  latestSnapshot(environment: string): Promise<api.SourceSnapshot | undefined>;
}

export async function openSource(session: Session): Promise<Source> {
  const host = needed(session, 'fromHost');
  const org = needed(session, 'fromOrg');
  const { io, settings } = session;
  if (host === settings.host && org === settings.org) {
    throw usageError('The source and the target are the same org', 'Name another org with --from-org, or with --org');
  }
  const client = createClient({
    ...clientOptions(session),
    baseUrl: `${host}/api/v2`,
    apiKey: await sourceKey(session),
  });
  return sourceOver(client, { host, org, signal: io.signal });
}

function needed({ settings }: Session, name: 'fromHost' | 'fromOrg'): string {
  return settings[name] ?? missing([name]);
}

function missing(names: readonly SettingName[]): never {
  const flags = names.map(longFlag);
  const variables = names.map((name) => settingOf(name).env);
  throw usageError(`${flags[0]} is missing`, `Add ${flags.join(' or ')}, or set ${variables.join(' or ')}`);
}

async function sourceKey({ io, settings, sources, warn }: Session): Promise<string> {
  const { fromToken, fromTokenFile } = settings;
  if (fromToken !== undefined) {
    const source = sources.fromToken ?? '--from-token';
    if (source === '--from-token') {
      warn('--from-token is visible in the process list; use WAYMARK_FROM_TOKEN instead');
    }
    return readKey(fromToken, source);
  }
  if (fromTokenFile === undefined) return missing(['fromTokenFile', 'fromToken']);
  if (fromTokenFile === '-') return readKey((await io.stdin.bytes()).toString('utf8'), 'Standard input');
  return readKey(readFileSync(resolve(io.cwd, fromTokenFile), 'utf8'), fromTokenFile);
}

function sourceOver(client: Client, { host, org, signal }: { host: string; org: string; signal: AbortSignal }): Source {
  const ask = <T>(asked: Promise<T>) => unlessMissing(asked).catch((error: unknown) => fail(error, host));
  const list = <T>(items: AsyncIterable<T>) => explained(items, host);
  const query = { page: 1, per_page: PAGE };
  return {
    host,
    org,
    types: () => list(client.items(api.readTypes, { params: { org }, signal })),
    flows: () => list(client.items(api.readFlows, { params: { org }, query, signal })),
    trails: (flow) => list(client.items(api.readTrails, { params: { org }, query: { ...query, flow }, signal })),
    trail: (flow_name, trail_name) =>
      ask(client.call(api.readTrail, { params: { org, flow_name, trail_name }, signal })),
    artifacts: (flow_name) =>
      list(client.items(api.readArtifacts, { params: { org }, query: { ...query, flow_name }, signal })),
    artifact: (flow_name, fingerprint, trail) =>
      ask(client.call(api.readArtifact, { params: { org, flow_name, fingerprint }, query: { trail }, signal })),
    attestation: async (attestation_id) =>
      (await ask(client.call(api.readAttestation, { params: { org }, query: { attestation_id }, signal })))?.data[0],
    attestationsNamed: (flow_name, trail_name, attestation_name) => {
      const params = { org, flow_name, trail_name, attestation_name };
      return list(client.items(api.readTrailAttestations, { params, signal }));
    },
    attachment: (flow_name, trail_name, attestation_id) => {
      const params = { org, flow_name, trail_name, attestation_id };
      return ask(client.download(api.readAttachment, { params, signal }));
    },
    environments: () => list(client.items(api.readEnvironments, { params: { org }, signal })),
    latestSnapshot: (env_name) =>
      ask(client.call(api.readSnapshot, { params: { org, env_name, snapshot_expression: LATEST }, signal })),
  };
}

async function* explained<T>(items: AsyncIterable<T>, host: string): AsyncGenerator<T, void, undefined> {
  try {
    yield* items;
  } catch (error) {
    fail(error, host);
  }
}

/** Says that the source failed, and not the service that the CLI is signed in to. */
function fail(error: unknown, host: string): never {
  if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
    throw new CliError('denied', `The source ${host} refuses the key (${error.status})`, {
      why: error.message,
      fix: 'Check --from-host and --from-org, and give a valid key of that service with --from-token-file or WAYMARK_FROM_TOKEN',
      requestId: error.requestId,
      cause: error,
    });
  }
  if (error instanceof UnreachableError) {
    throw new CliError('unavailable', `The source ${host} cannot be reached`, {
      why: error.message.replace(/^\S+ cannot be reached: /, ''),
      fix: 'Check --from-host and the network',
      cause: error,
    });
  }
  if (error instanceof UnexpectedAnswerError) {
    throw new CliError('unavailable', `The source ${host} does not answer as this API does`, {
      why: error.message,
      fix: 'Check --from-host: it is the address of the service, without /api/v2',
      requestId: error.requestId,
      cause: error,
    });
  }
  if (!(error instanceof ApiError)) throw error;
  const { ending, message, why, requestId } = failureOf(error, host);
  throw new CliError(ending, `The source ${host} answers: ${message}`, {
    ...(why !== undefined && { why }),
    requestId: requestId ?? null,
    cause: error,
  });
}
