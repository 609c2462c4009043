import { bytesText, type Storage } from '@waymark/contract';

type Kind = 'bytes' | 'rows';
type Use = Storage[Kind];

/** The whole percent of a quota that is used; null without one. Only a full quota is 100 percent. */
export function usedPercent({ used, quota }: Use): number | null {
  if (quota === null) return null;
  return used >= quota ? 100 : Math.floor((used / quota) * 100);
}

const countText = (count: number) => count.toLocaleString('en');

/** How much is stored, such as `1.5 GiB of 10.0 GiB`. */
export function amountWords(kind: Kind, { used, quota }: Use): string {
  const text = kind === 'bytes' ? bytesText : countText;
  return quota === null ? text(used) : `${text(used)} of ${text(quota)}`;
}

/** The fuller of the two. */
export function fullestWords({ bytes, rows }: Storage): string {
  const isRows = (usedPercent(rows) ?? -1) > (usedPercent(bytes) ?? -1);
  return isRows ? `${amountWords('rows', rows)} rows` : amountWords('bytes', bytes);
}
