const READY_MS = 30_000;

/** Waits for a Waymark that was just started. */
export async function untilReady(url: string): Promise<void> {
  const until = Date.now() + READY_MS;
  while (Date.now() < until) {
    const answer = await fetch(`${url}/ready`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing became ready at ${url}`);
}
