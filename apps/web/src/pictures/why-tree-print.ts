import { useSyncExternalStore } from 'react';

const paper = matchMedia('print');
let isPrinting = paper.matches;

function follow(listener: () => void): () => void {
  const set = (printing: boolean) => () => {
    isPrinting = printing;
    listener();
  };
  const before = set(true);
  const after = set(false);
  const change = () => set(paper.matches)();
  addEventListener('beforeprint', before);
  addEventListener('afterprint', after);
  paper.addEventListener('change', change);
  return () => {
    removeEventListener('beforeprint', before);
    removeEventListener('afterprint', after);
    paper.removeEventListener('change', change);
  };
}

/** Whether the page is on its way to paper, which cannot be unfolded: what is long is put there only then. */
export function usePrinting(): boolean {
  return useSyncExternalStore(follow, () => isPrinting);
}
