import { Command, type OptionValues } from '@commander-js/extra-typings';
import type { Outcome } from './outcome.ts';
import type { Session } from './session.ts';
import type { SettingName } from './settings.ts';

export interface Example {
  readonly say: string;
  readonly run: string;
}

interface Definition<Args extends unknown[], Options extends OptionValues> {
  /** Details beyond the summary in the catalog. */
  readonly description?: string;
  readonly examples: readonly Example[];
  /** Settings of the command, besides the global ones. */
  readonly settings?: readonly SettingName[];
  readonly build: (command: Command) => Command<Args, Options>;
  readonly run: (session: Session, args: Args, options: Options) => Promise<Outcome>;
}

/** A command without the types of its arguments and flags. */
export interface CommandDefinition {
  readonly description: string | undefined;
  readonly examples: readonly Example[];
  readonly settings: readonly SettingName[];
  readonly build: () => Command;
  readonly run: (session: Session, args: unknown[], options: OptionValues) => Promise<Outcome>;
}

export function defineCommand<Args extends unknown[], Options extends OptionValues>(
  definition: Definition<Args, Options>,
): CommandDefinition {
  const { description, examples, settings = [], build, run } = definition;
  return {
    description,
    examples,
    settings,
    build: () => build(new Command()) as unknown as Command,
    run: run as unknown as CommandDefinition['run'],
  };
}
