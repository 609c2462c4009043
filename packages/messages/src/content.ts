/** The content of a message, with the names at that time. Links are made from these when it is written. */
export interface MessageContent {
  readonly environment: string | null;
  readonly flow: string | null;
  readonly snapshot: { readonly index: number; readonly status: string } | null;
  /** The subject; of several, the first that is not compliant, or else the first. */
  readonly artifact: ArtifactContent | null;
  readonly trail: { readonly name: string; readonly compliant: boolean | null } | null;
  readonly attestation: AttestationContent | null;
  readonly apiKey: ApiKeyContent | null;
  /** A few names of subjects, for the summary. */
  readonly names: readonly string[];
  /** The reason, in words: what is missing, who allowed it and why. */
  readonly why: string | null;
  /** The artifacts, newest last; only the newest of many. Omitted where `artifact` is enough. */
  readonly artifacts?: readonly ArtifactLine[];
  /** The fix for what is not compliant, in words. */
  readonly fix?: string;
  /** For a test: what is tested, and who requested it. */
  readonly test?: { readonly of: string; readonly by: string };
}

export type ArtifactLine = Pick<ArtifactContent, 'name' | 'fingerprint' | 'compliant'>;

/** Extended by the subject of a message. */
export const NO_DETAILS: MessageContent = {
  environment: null,
  flow: null,
  snapshot: null,
  artifact: null,
  trail: null,
  attestation: null,
  apiKey: null,
  names: [],
  why: null,
};

export interface ArtifactContent {
  readonly name: string;
  readonly fingerprint: string;
  readonly compliant: boolean | null;
  readonly provenance: Provenance | null;
}

export interface Provenance {
  readonly flow: string;
  readonly trail: string;
  readonly commit: string;
  readonly commitUrl: string;
  readonly buildUrl: string;
  /** The report of the fingerprint. */
  readonly artifactId: string;
}

export interface AttestationContent {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly compliant: boolean;
}

export interface ApiKeyContent {
  readonly id: string;
  readonly description: string;
  readonly owner: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  readonly daysLeft: number;
}

export type MessageTrigger =
  | 'ON_STARTED_ARTIFACT'
  | 'ON_EXITED_ARTIFACT'
  | 'ON_SCALED_ARTIFACT'
  | 'ON_ALLOWED_ARTIFACT'
  | 'ON_NON_COMPLIANT_ENV'
  | 'ON_COMPLIANT_ENV'
  | 'ON_EXPIRING_EVIDENCE'
  | 'ON_STARTED_TRAIL'
  | 'ON_ATTESTED_PROVENANCE'
  | 'ON_ATTESTATION'
  | 'api_key_expiry'
  | 'TEST';

/** A message that is about to be written for a recipient. */
export interface Message {
  /** The id of the delivery: the same for every attempt. */
  readonly id: string;
  readonly org: string;
  readonly trigger: MessageTrigger;
  /** Null for a test. */
  readonly sequence: number | null;
  readonly count: number;
  /** When the event was recorded, in seconds since 1970. */
  readonly timestamp: number;
  readonly content: MessageContent;
}
