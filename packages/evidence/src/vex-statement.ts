export const VEX_STATUSES = ['not_affected', 'affected', 'fixed', 'under_investigation'] as const;
export type VexStatus = (typeof VEX_STATUSES)[number];

interface Stated {
  /** The vulnerability and its aliases. */
  names: readonly string[];
  status: VexStatus;
  /** Why it is not affected. Without one, the statement does not say enough to be relied on. */
  justification?: string | undefined;
  /** Seconds: when it was made, by what the document says. */
  at?: number | undefined;
}

/** What a document says about a vulnerability in products. */
export interface VexClaim extends Stated {
  /** Empty for what the document itself is about. */
  products: readonly VexProduct[];
}

/** A product, or a component of the artifact. */
export interface VexProduct {
  /** Package URLs, names, and digests: all of one thing. */
  ids: readonly string[];
  /** The components in it that the claim is about. Empty for the whole product. */
  parts: readonly string[];
  /** It is what the document as a whole describes. */
  isSubject?: boolean;
}

/** What a document says about a vulnerability in one artifact. */
export interface VexStatement extends Stated {
  /** The components that it is about, as package URLs or names. Absent for the whole artifact. */
  components?: readonly string[];
}

/** A document as it was written. */
export interface VexDocument {
  format: VexFormat;
  author: string;
  claims: VexClaim[];
}

type VexFormat = 'OpenVEX' | 'CycloneDX' | 'CSAF';

/** What a document says about one artifact. */
export interface Vex {
  format: VexFormat;
  author: string;
  /** Those about the artifact, in the order of the document. */
  statements: VexStatement[];
  /** The number of those about other artifacts, which do not count. */
  others: number;
}

/** Seconds of a time in a document, if it is one that people can have written. */
export function secondsOf(...times: readonly (string | null | undefined)[]): number | undefined {
  for (const time of times) {
    const seconds = Math.floor(Date.parse(time ?? '') / 1000);
    if (seconds >= 0 && seconds < 4_102_444_800) return seconds;
  }
  return undefined;
}
