import { useCallback, useEffect, useState } from 'react';

/**
 * A time on the picture that is kept in the address, once a drag has ended. Until the address has followed, what was
 * dragged to holds, so that nothing jumps back for a moment.
 */
export function usePlace(kept: number | undefined, sent: number | undefined, keep: (sent: number) => void) {
  const [moved, setMoved] = useState<number>();
  // Whatever the address says now is newer than the drag.
  useEffect(() => setMoved(undefined), [sent]);
  const move = useCallback(
    (time: number, isDone: boolean) => {
      setMoved(time);
      if (isDone) keep(Math.floor(time));
    },
    [keep],
  );
  return [moved ?? kept, move] as const;
}
