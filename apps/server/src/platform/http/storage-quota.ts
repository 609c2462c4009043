import { bytesText } from '@waymark/contract';
import { type Problem, tooLarge } from '../errors.ts';

/** How much evidence an org may store; null for unlimited. */
export interface StorageQuota {
  readonly bytes: number | null;
  readonly rows: number | null;
}

export const NO_QUOTA: StorageQuota = { bytes: null, rows: null };

/** What an org over its storage quota has stored. */
export interface FullStorage {
  readonly bytes: number;
  readonly rows: number;
  readonly quotaBytes: number | null;
  readonly quotaRows: number | null;
}

/** Columns of a caller's org; null unless its storage quota is used up. */
export interface FullStorageRow {
  full_bytes: number | null;
  full_rows: number | null;
  quota_bytes: number | null;
  quota_rows: number | null;
}

export function fullStorageOf({ full_bytes, full_rows, quota_bytes, quota_rows }: FullStorageRow): FullStorage | null {
  if (full_bytes === null || full_rows === null) return null;
  return { bytes: full_bytes, rows: full_rows, quotaBytes: quota_bytes, quotaRows: quota_rows };
}

export function storageFull({ bytes, rows, quotaBytes, quotaRows }: FullStorage): Problem {
  const isFull = (used: number, quota: number | null) => quota !== null && used >= quota;
  const parts = [
    ...(isFull(bytes, quotaBytes) ? [`${bytesText(bytes)} of ${bytesText(quotaBytes ?? 0)}`] : []),
    ...(isFull(rows, quotaRows) ? [`${rows} of ${quotaRows} rows`] : []),
  ];
  return tooLarge(
    `The storage quota of this org is exhausted: ${parts.join(' and ')}. Ask the operator of this installation to ` +
      'raise it; until then no evidence can be added, but everything else works',
  );
}
