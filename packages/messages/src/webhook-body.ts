import { jsonBytes, withinBytes } from './bounded-text.ts';
import type { ArtifactContent, ArtifactLine, Message, MessageContent, MessageTrigger } from './content.ts';
import { describeMessage } from './describe.ts';
import { artifactsOf, MAX_ARTIFACTS } from './join.ts';

/** What receivers get, in version 1.0. */
export interface WebhookBody {
  readonly version: '1.0';
  /** Of the delivery, as in the header `webhook-id`. */
  readonly id: string;
  readonly sequence: number | null;
  readonly count: number;
  readonly timestamp: number;
  readonly org: string;
  readonly event_type: MessageTrigger;
  readonly description: string;
  readonly environment: string | null;
  readonly snapshot: {
    readonly index: number;
    readonly status: string;
    readonly html_url: string;
    readonly api_url: string;
  } | null;
  readonly artifact: WebhookArtifact | null;
  /** For triggers about artifacts: the artifacts, newest last; only the newest of many. */
  readonly artifacts: readonly ArtifactLine[];
  /** For events in a flow, as are the next two. */
  readonly flow?: string | null;
  readonly trail?: { readonly name: string; readonly html_url: string; readonly api_url: string } | null;
  readonly attestation?: {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly compliant: boolean;
  } | null;
  /** For the expiry of a key. */
  readonly api_key?: {
    readonly id: string;
    readonly description: string;
    readonly owner: string;
    readonly expires_at: number;
    readonly days_left: number;
  };
}

interface WebhookArtifact {
  readonly name: string;
  readonly fingerprint: string;
  readonly compliant: boolean | null;
  readonly provenance: {
    readonly flow: string;
    readonly trail: string;
    readonly commit: string;
    readonly commit_url: string;
    readonly build_url: string;
    readonly html_url: string;
  } | null;
}

/** In bytes of JSON. With these a body stays below 20 KB, whatever its content. */
const MAX_NAME_BYTES = 300;
const MAX_DESCRIPTION_BYTES = 2_000;
const MAX_URL_BYTES = 1_200;
const MAX_FOREIGN_URL_BYTES = 3_000;
const MAX_BODY_BYTES = 19_500;

export function webhookBody(message: Message, publicUrl: string): WebhookBody {
  const { content, trigger } = message;
  const place = { publicUrl, org: message.org };
  const body: WebhookBody = {
    version: '1.0',
    id: message.id,
    sequence: message.sequence,
    count: message.count,
    timestamp: message.timestamp,
    org: named(message.org),
    event_type: trigger,
    description: withinBytes(describeMessage(message), MAX_DESCRIPTION_BYTES),
    environment: content.environment === null ? null : named(content.environment),
    snapshot: snapshotOf(content, place),
    artifact: content.artifact && artifactOf(content.artifact, place),
    artifacts: [],
    ...(IN_FLOWS.has(trigger) && flowParts(content, place)),
    ...(content.apiKey && { api_key: keyOf(content.apiKey) }),
  };
  return OF_ARTIFACTS.has(trigger)
    ? { ...body, artifacts: newestWithin(MAX_BODY_BYTES - bytesOf(body), content) }
    : body;
}

/** Returns as many as there is room for. */
function newestWithin(maxBytes: number, content: MessageContent): ArtifactLine[] {
  const newest: ArtifactLine[] = [];
  let room = maxBytes;
  for (const { name, fingerprint, compliant } of artifactsOf(content).slice(-MAX_ARTIFACTS).toReversed()) {
    const artifact = { name: named(name), fingerprint: named(fingerprint), compliant };
    room -= bytesOf(artifact) + 1;
    if (room < 0) break;
    newest.unshift(artifact);
  }
  return newest;
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const OF_ARTIFACTS = new Set<MessageTrigger>([
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_SCALED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  'ON_EXPIRING_EVIDENCE',
  'ON_ATTESTED_PROVENANCE',
]);

const IN_FLOWS = new Set<MessageTrigger>(['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION']);

/** The page of the subject. */
export function linkOf(message: Message, publicUrl: string): string {
  return pageOf(message, { publicUrl, org: message.org }) || publicUrl;
}

function pageOf({ content, trigger }: Message, place: Place): string {
  if (trigger === 'ON_ATTESTED_PROVENANCE' && content.artifact?.provenance) {
    return artifactUrl(content.artifact, place);
  }
  if (content.trail && content.flow !== null) return trailUrl(content.flow, content.trail.name, place);
  if (content.flow !== null) return page(place, 'flows', content.flow);
  if (content.environment !== null) return environmentUrl(content.environment, content.snapshot?.index, place);
  return content.apiKey ? page(place, 'settings', 'keys') : page(place);
}

interface Place {
  readonly publicUrl: string;
  readonly org: string;
}

function snapshotOf({ environment, snapshot }: MessageContent, place: Place): WebhookBody['snapshot'] {
  if (environment === null || snapshot === null) return null;
  const { index, status } = snapshot;
  return {
    index,
    status: named(status),
    html_url: environmentUrl(environment, index, place),
    api_url: bounded(`${place.publicUrl}/api/v2/snapshots${pathOf([place.org, environment, String(index)])}`),
  };
}

function artifactOf(artifact: ArtifactContent, place: Place): WebhookArtifact {
  const { name, fingerprint, compliant, provenance } = artifact;
  return {
    name: named(name),
    fingerprint: named(fingerprint),
    compliant,
    provenance: provenance && {
      flow: named(provenance.flow),
      trail: named(provenance.trail),
      commit: named(provenance.commit),
      commit_url: bounded(provenance.commitUrl, MAX_FOREIGN_URL_BYTES),
      build_url: bounded(provenance.buildUrl, MAX_FOREIGN_URL_BYTES),
      html_url: artifactUrl(artifact, place),
    },
  };
}

function flowParts({ flow, trail, attestation }: MessageContent, place: Place) {
  return {
    flow: flow === null ? null : named(flow),
    trail: trail && {
      name: named(trail.name),
      html_url: trailUrl(flow ?? '', trail.name, place),
      api_url: bounded(`${place.publicUrl}/api/v2/trails${pathOf([place.org, flow ?? '', trail.name])}`),
    },
    attestation: attestation && {
      id: named(attestation.id),
      name: named(attestation.name),
      type: named(attestation.type),
      compliant: attestation.compliant,
    },
  };
}

function keyOf({ id, description, owner, expiresAt, daysLeft }: NonNullable<MessageContent['apiKey']>) {
  return {
    id: named(id),
    description: named(description),
    owner: named(owner),
    expires_at: expiresAt,
    days_left: daysLeft,
  };
}

function artifactUrl({ fingerprint, provenance }: ArtifactContent, place: Place): string {
  const { flow = '', artifactId = '' } = provenance ?? {};
  const path = pathOf([place.org, 'flows', flow, 'artifacts', fingerprint]);
  return bounded(`${place.publicUrl}${path}?artifact_id=${inUrl(artifactId)}`);
}

function trailUrl(flow: string, trail: string, place: Place): string {
  return page(place, 'flows', flow, 'trails', trail);
}

function environmentUrl(environment: string, index: number | undefined, place: Place): string {
  return page(place, 'environments', environment, ...(index === undefined ? [] : ['snapshots', String(index)]));
}

function page({ publicUrl, org }: Place, ...segments: readonly string[]): string {
  return bounded(`${publicUrl}${pathOf([org, ...segments])}`);
}

function pathOf(segments: readonly string[]): string {
  return segments.map((segment) => `/${inUrl(segment)}`).join('');
}

/** Valid names need no escape; any other name must not lead elsewhere. */
function inUrl(segment: string): string {
  return encodeURIComponent(segment.toWellFormed());
}

function named(text: string): string {
  return withinBytes(text, MAX_NAME_BYTES);
}

/** A truncated URL would lead nowhere. */
function bounded(url: string, maxBytes = MAX_URL_BYTES): string {
  return jsonBytes(url) <= maxBytes ? url : '';
}
