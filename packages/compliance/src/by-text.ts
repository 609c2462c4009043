/** An order that does not depend on the order of receipt. */
export function byText<Item>(textOf: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => {
    const [left, right] = [textOf(a), textOf(b)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  };
}
