const MAX_HALVINGS = 30;

/**
 * The number in [from, until) that can be halved most often, the first left out unless it is alone: [4, 6) has 5. The
 * same as interval_node in the database.
 */
export function intervalNode(from: number, until: number): number {
  const last = until - 1;
  if (from >= last) return from;
  const halvings = 31 - Math.clz32(from ^ last);
  return (last >> halvings) << halvings;
}

/** The nodes of all intervals that can contain `index`: one for each number of halvings. */
export function nodesAt(index: number, latest: number): number[] {
  const nodes: number[] = [];
  for (let halvings = 0; halvings <= MAX_HALVINGS && 2 ** halvings <= latest; halvings++) {
    nodes.push(((index >> (halvings + 1)) << (halvings + 1)) | (1 << halvings));
  }
  return nodes;
}
