import type { CiContext } from '@waymark/ci-context';
import type { Client } from '@waymark/client';
import type { ProjectFile } from './config-files.ts';
import type { Io } from './io.ts';
import type { Sources } from './resolve-settings.ts';
import type { Settings } from './settings.ts';
import type { Style } from './style.ts';

/** A key and its expiry. The expiry of a given key is unknown here. */
export interface SignIn {
  readonly key: string;
  /** In words: a variable, a flag or a file. */
  readonly source: string;
  readonly until?: Date;
  /** Set for a key that was exchanged for the token of a job. */
  readonly job?: { readonly service_account: string; readonly workload_identity: string; readonly expires_at: number };
}

/** The context of a command. */
export interface Session {
  readonly io: Io;
  readonly settings: Settings;
  readonly sources: Sources;
  readonly project: ProjectFile | undefined;
  /** The CI system's facts about the build; read on first use. */
  readonly ci: () => CiContext;
  /** Signs in with the first request. */
  readonly client: () => Client;
  /** The key of requests, and its source. */
  readonly signIn: () => Promise<SignIn>;
  /** Returns a setting that the command requires. */
  readonly need: (name: 'host' | 'org' | 'flow' | 'trail') => string;
  /** For people, on standard error: standard output is for results only. */
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly detail: (line: string) => void;
  /** The style of text on standard error. */
  readonly style: Style;
  readonly spoolDirectory: string;
  /** Returns the address of a page of the service. */
  readonly pageOf: (...segments: readonly string[]) => string;
}
