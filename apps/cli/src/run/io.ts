export interface OutStream {
  write(text: string | Uint8Array): void;
  readonly isTty: boolean;
  readonly columns: number;
}

export interface Finished {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Everything a command uses of its machine. Tests supply their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdin: {
    readonly isTty: boolean;
    bytes(): Promise<Buffer>;
    /** Asks on standard error and waits for one line. Only in a terminal. */
    ask(question: string, options?: { readonly isHidden?: boolean }): Promise<string>;
  };
  readonly stdout: OutStream;
  readonly stderr: OutStream;
  readonly now: () => Date;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Runs a program and waits for it. One that cannot be started has status 127. */
  readonly run: (program: string, args: readonly string[], options?: { input?: string; cwd?: string }) => Finished;
}
