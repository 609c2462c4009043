export { canonicalJson } from './canonical-json.ts';
export { SCHEMA_VERSION } from './check-digests.ts';
export type { Completeness } from './completeness.ts';
export type { Finding } from './findings.ts';
export { BrokenArchiveError, type FileDigest, type PackageEntry } from './package-entry.ts';
export { type PackageOptions, type PackageVerdict, READING_MATTER, verifyPackage } from './verify-package.ts';
