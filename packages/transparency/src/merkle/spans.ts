/** A run of leaves, from the first to the one after the last, that is a node of the tree. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** The root of a complete subtree: that of the 2^level leaves from index × 2^level. */
export interface Node {
  readonly level: number;
  readonly index: number;
}

/** Tree sizes are numbers, exact up to here: a log with one entry every microsecond reaches it after 285 years. */
export const MAX_SIZE = Number.MAX_SAFE_INTEGER;

export function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Returns the largest power of two below a number. */
function splitOf(width: number): number {
  let split = 2 ** Math.floor(Math.log2(width));
  // The logarithm is rounded: next to a large power of two it can be off by one.
  while (split >= width) split /= 2;
  while (split * 2 < width) split *= 2;
  return split;
}

/** Returns the nodes of an inclusion proof, from the sibling of the leaf up to the child of the root. */
export function inclusionSpans(index: number, size: number): Span[] {
  if (!isSize(size) || !isSize(index) || index >= size) throw new RangeError(`no leaf ${index} in a tree of ${size}`);
  const spans: Span[] = [];
  let [begin, end] = [0, size];
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin);
    if (index < middle) {
      spans.push({ begin: middle, end });
      end = middle;
    } else {
      spans.push({ begin, end: middle });
      begin = middle;
    }
  }
  return spans.reverse();
}

export interface ConsistencySpans {
  /** The node that both trees share, of which the old one is built. It is in the proof unless it is the old tree. */
  readonly shared: Span;
  /** The other nodes of the proof, from the sibling of the shared node up. */
  readonly rest: readonly Span[];
}

/** Returns the nodes of a consistency proof between two sizes of a tree. */
export function consistencySpans(oldSize: number, size: number): ConsistencySpans {
  if (!isSize(oldSize) || !isSize(size) || oldSize === 0 || oldSize > size)
    throw new RangeError(`no consistency proof from a tree of ${oldSize} to one of ${size}`);
  const rest: Span[] = [];
  let [begin, end] = [0, size];
  while (end !== oldSize) {
    const middle = begin + splitOf(end - begin);
    if (oldSize <= middle) {
      rest.push({ begin: middle, end });
      end = middle;
    } else {
      rest.push({ begin, end: middle });
      begin = middle;
    }
  }
  return { shared: { begin, end }, rest: rest.reverse() };
}

/** Returns the complete subtrees that a node of the tree consists of, the largest first. */
export function nodesOf({ begin, end }: Span): Node[] {
  const nodes: Node[] = [];
  let first = begin;
  let level = Math.ceil(Math.log2(end - begin)) + 1;
  for (let width = 2 ** level; first < end; width /= 2, level--) {
    if (width > end - first) continue;
    nodes.push({ level, index: first / width });
    first += width;
  }
  return nodes;
}
