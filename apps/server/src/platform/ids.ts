import { randomUUIDv7 } from 'node:crypto';

/** UUIDv7, so that neighbours in time are neighbours in an index. Never used for order. */
export function newId(): string {
  return randomUUIDv7();
}
