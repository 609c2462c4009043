/** Returns a function that reads like `read`, where calls that overlap share one reading. */
export function shareRunning<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}
