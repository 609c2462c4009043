import { hash, randomUUIDv7 } from 'node:crypto';

/** UUIDv7, so that neighbors in time are neighbors in an index. Never used for order. */
export function newId(): string {
  return randomUUIDv7();
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text can be one of our ids, in their one spelling. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** Deterministic: the same for the same content. */
export function contentId(content: string): string {
  const hex = hash('sha256', content);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
