export { Envelope, keyId, signEnvelope } from './envelope.ts';
export { type Expected, type Judged, judgeSummary } from './judge-summary.ts';
export { readPrivateKeys, readPublicKeys } from './keys.ts';
export { type Details, detailsOf, type Facts, PAYLOAD_TYPE, type Summary, summaryOf } from './summary.ts';
