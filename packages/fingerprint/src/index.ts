export { type Credentials, dockerCredentials, type FindCredentials } from './docker-credentials.ts';
export { fingerprintDirectory } from './fingerprint-directory.ts';
export { fingerprintFile } from './fingerprint-file.ts';
export { type FingerprintImageOptions, fingerprintImage } from './fingerprint-image.ts';
export { fingerprintLayout } from './fingerprint-layout.ts';
export type { ImageIdentity, PlatformIdentity } from './image-identity.ts';
export { type ImageReference, ImageReferenceError, parseImageReference } from './image-reference.ts';
export { RegistryError, type RegistryFailure } from './registry-error.ts';
