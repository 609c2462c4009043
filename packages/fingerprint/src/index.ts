export { fingerprintDirectory } from './fingerprint-directory.ts';
export { fingerprintFile } from './fingerprint-file.ts';
