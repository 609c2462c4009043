/** What a message tells of, with the names of that time. Links are made when it is written, from these. */
export interface MessageContent {
  readonly environment: string | null;
  readonly flow: string | null;
  readonly snapshot: { readonly index: number; readonly status: string } | null;
  /** What it is about; of several, the first that is not compliant, or else the first. */
  readonly artifact: ArtifactContent | null;
  readonly trail: { readonly name: string; readonly compliant: boolean | null } | null;
  readonly attestation: AttestationContent | null;
  readonly apiKey: ApiKeyContent | null;
  /** Names of what it tells of, a few at most, for the sentence. */
  readonly names: readonly string[];
  /** Why it is so, in words: what is missing, who allowed it and for what reason. */
  readonly why: string | null;
  /** The artifacts that it tells of, newest last, of many the newest. Left out where `artifact` says it all. */
  readonly artifacts?: readonly ArtifactLine[];
  /** What would put right what is not compliant, in words. */
  readonly fix?: string;
  /** Of a test: what it is a test of, and who asked for it. */
  readonly test?: { readonly of: string; readonly by: string };
}

export type ArtifactLine = Pick<ArtifactContent, 'name' | 'fingerprint' | 'compliant'>;

/** To which a message adds what it is about. */
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
  /** Which report of the fingerprint is meant. */
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
  | 'ON_STARTED_TRAIL'
  | 'ON_ATTESTED_PROVENANCE'
  | 'ON_ATTESTATION'
  | 'api_key_expiry'
  | 'TEST';

/** A message as it is about to be written for somebody. */
export interface Message {
  /** Of the delivery: the same whenever it is tried again. */
  readonly id: string;
  readonly org: string;
  readonly trigger: MessageTrigger;
  /** Null for a test. */
  readonly sequence: number | null;
  readonly count: number;
  /** When what it tells of was recorded, in seconds since 1970. */
  readonly timestamp: number;
  readonly content: MessageContent;
}
