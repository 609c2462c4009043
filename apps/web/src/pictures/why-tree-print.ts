import { useSyncExternalStore } from 'react';

const report = matchMedia('print');
let isPrinting = report.matches;

function follow(listener: () => void): () => void {
  const set = (printing: boolean) => () => {
    isPrinting = printing;
    listener();
  };
  const before = set(true);
  const after = set(false);
  const change = () => set(report.matches)();
  addEventListener('beforeprint', before);
  addEventListener('afterprint', after);
  report.addEventListener('change', change);
  return () => {
    removeEventListener('beforeprint', before);
    removeEventListener('afterprint', after);
    report.removeEventListener('change', change);
  };
}

/** Whether the page is being printed. Paper cannot be unfolded, so long content is rendered only then. */
export function usePrinting(): boolean {
  return useSyncExternalStore(follow, () => isPrinting);
}
