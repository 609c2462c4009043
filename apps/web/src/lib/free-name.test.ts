import { ApiError } from '@waymark/client';
import { expect, it } from 'vitest';
import { isThere } from './free-name.ts';

function refused(status: number): () => Promise<never> {
  return () => Promise.reject(new ApiError(status, 'refused', null, null));
}

it('a name is taken if it can be read, and free only if the server says so', async () => {
  expect(await isThere(() => Promise.resolve({ name: 'production' }))).toBe(true);
  expect(await isThere(refused(404))).toBe(false);
  expect(await isThere(refused(400))).toBe(false);
  await expect(isThere(refused(503))).rejects.toThrow('refused');
  await expect(isThere(() => Promise.reject(new Error('no connection')))).rejects.toThrow('no connection');
});
