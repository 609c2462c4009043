import { hash, randomUUIDv7 } from 'node:crypto';

/** UUIDv7, so that neighbours in time are neighbours in an index. Never used for order. */
export function newId(): string {
  return randomUUIDv7();
}

/** The same for the same content. */
export function contentId(content: string): string {
  const hex = hash('sha256', content);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
