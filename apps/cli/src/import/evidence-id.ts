import { createHash } from 'node:crypto';

/**
 * Returns the same UUID for the same names. Under such an id Waymark records a report once, however often an import
 * is killed and started again.
 */
export function evidenceId(...names: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(names)).digest();
  // RFC 9562: version 8 is for ids made in a way of one's own.
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
