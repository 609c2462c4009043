const HOUR_MS = 3_600_000;

const AHEAD = `
  const System = Date;
  globalThis.Date = class extends System {
    constructor(...args) { if (args.length === 0) super(System.now() + ${HOUR_MS}); else super(...args); }
    static now() { return System.now() + ${HOUR_MS}; }
  };`;

/** For a process on a machine whose clock is an hour ahead. */
export const clockAhead = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(AHEAD)}` } as const;
