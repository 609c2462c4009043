/** The newest member of the largest set, if a set has more than `size` members. */
export function lastOfLargest<Member>(sets: Iterable<ReadonlySet<Member>>, size: number): Member | undefined {
  let largest: ReadonlySet<Member> | undefined;
  for (const set of sets) if (set.size > (largest?.size ?? size)) largest = set;
  return largest && [...largest].at(-1);
}
