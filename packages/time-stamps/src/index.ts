export type { Certificate } from './certificate.ts';
export { createRequest, openResponse, REQUEST_TYPE, RESPONSE_TYPE, type TimeStampRequest } from './exchange.ts';
export { parseRoots } from './pem.ts';
export { TimeStampError } from './time-stamp-error.ts';
export { timeStampVerifier } from './verifier.ts';
export { type TimeStamp, type Trust, verifyToken } from './verify-token.ts';
