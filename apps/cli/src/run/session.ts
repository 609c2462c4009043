import type { CiContext } from '@waymark/ci-context';
import type { Client } from '@waymark/client';
import type { ProjectFile } from './config-files.ts';
import type { Io } from './io.ts';
import type { Sources } from './resolve-settings.ts';
import type { Settings } from './settings.ts';
import type { Style } from './style.ts';

/** A key, and until when it is to be used. One that was given has no end that is known here. */
export interface SignIn {
  readonly key: string;
  /** In words: a variable, a flag or a file. */
  readonly source: string;
  readonly until?: Date;
  /** When it was got in exchange for the token of a job. */
  readonly job?: { readonly service_account: string; readonly workload_identity: string; readonly expires_at: number };
}

/** What a command works with. */
export interface Session {
  readonly io: Io;
  readonly settings: Settings;
  readonly sources: Sources;
  readonly project: ProjectFile | undefined;
  /** What the CI system says about the build; read when it is first asked for. */
  readonly ci: () => CiContext;
  /** Signs in when the first request is sent. */
  readonly client: () => Client;
  /** What requests are signed in with, and where it comes from. */
  readonly signIn: () => Promise<SignIn>;
  /** A setting without which the command can do nothing. */
  readonly need: (name: 'host' | 'org' | 'flow' | 'trail') => string;
  /** For people, on standard error, so that standard output holds nothing but results. */
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly detail: (line: string) => void;
  /** How text on standard error looks. */
  readonly style: Style;
  readonly spoolDirectory: string;
  /** Address of a page of the service. */
  readonly pageOf: (...segments: readonly string[]) => string;
}
