export interface GrowingBuffer {
  append(piece: Buffer): void;
  /** Everything appended, without spare capacity: caches may hold on to it. */
  bytes(): Buffer;
}

const NOTHING = Buffer.alloc(0);

/**
 * Collects bytes that arrive in pieces in one buffer: a list of pieces sent a byte at a time would take a hundred times
 * their size. `hold` is called before memory is taken, and may throw. Never grows beyond `mostBytes`.
 */
export function createGrowingBuffer(hold: (bytes: number) => void, mostBytes: number): GrowingBuffer {
  let collected: Buffer = NOTHING;
  let size = 0;

  function grow(length: number): void {
    hold(length - collected.length);
    const larger = Buffer.allocUnsafeSlow(length);
    collected.copy(larger, 0, 0, size);
    collected = larger;
  }

  return {
    append(piece) {
      const needed = size + piece.length;
      if (size === 0 && needed === mostBytes) {
        // Everything came in one chunk, as small bodies do.
        hold(needed);
        collected = piece;
      } else {
        if (needed > collected.length) grow(Math.max(needed, Math.min(collected.length * 2, mostBytes)));
        piece.copy(collected, size);
      }
      size = needed;
    },
    bytes: () => (size === collected.length ? collected : Buffer.copyBytesFrom(collected, 0, size)),
  };
}
