const HOUR_MS = 3_600_000;
const JUMP_MS = 600_000;

/** Shifts the clock of a process by `ahead` milliseconds. */
const shifted = (ahead: string, setup = '') => `
  ${setup}
  const System = Date;
  globalThis.Date = class extends System {
    constructor(...args) { if (args.length === 0) super(System.now() + ${ahead}); else super(...args); }
    static now() { return System.now() + ${ahead}; }
  };`;

const preloaded = (script: string) =>
  ({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` }) as const;

/** For a process on a machine whose clock is an hour ahead. */
export const clockAhead = preloaded(shifted(String(HOUR_MS)));

/** For a process whose clock jumps 10 minutes ahead, and back again, at each `jump`. */
export const jumpingClock = preloaded(
  shifted('ahead', `let ahead = 0; process.on('SIGWINCH', () => { ahead = ${JUMP_MS} - ahead; });`),
);

/** A signal that nothing else listens to, and that would do nothing by itself. */
export function jump({ pid }: { readonly pid: number }): void {
  process.kill(pid, 'SIGWINCH');
}
