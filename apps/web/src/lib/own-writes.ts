/**
 * What somebody changes here is refetched here, so its events need no notice. They arrive after the response, because the
 * server reads them from the journal.
 */
const ECHO_MS = 15_000;

let pending = 0;
let echoUntil = 0;

/** Called when a write is sent. Returns what to call when it has been answered. */
export function beginWrite(now = Date.now): (isDone: boolean) => void {
  pending += 1;
  return (isDone) => {
    pending -= 1;
    if (isDone) echoUntil = now() + ECHO_MS;
  };
}

/** Whether an event by `actor` is the echo of a write from this tab. */
export function isEcho(actor: string, login: string | undefined, now: number = Date.now()): boolean {
  return actor === login && (pending > 0 || now < echoUntil);
}
