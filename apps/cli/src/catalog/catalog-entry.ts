import type { CommandDefinition } from '../run/command.ts';

export interface CatalogEntry {
  /** The words after `waymark`. */
  readonly path: string;
  /** One line, in the imperative, without a full stop. */
  readonly summary: string;
  /** Loads the command on demand, so that startup stays fast. */
  readonly load: () => Promise<{ readonly command: CommandDefinition }>;
}

export interface CatalogGroup {
  readonly title: string;
  readonly entries: readonly CatalogEntry[];
}
