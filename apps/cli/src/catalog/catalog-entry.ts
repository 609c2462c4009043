import type { CommandDefinition } from '../run/command.ts';

export interface CatalogEntry {
  /** The words after `waymark`. */
  readonly path: string;
  /** One line, in the imperative, without a full stop. */
  readonly summary: string;
  /** Only what is asked for is loaded: this keeps the first answer quick. */
  readonly load: () => Promise<{ readonly command: CommandDefinition }>;
}

export interface CatalogGroup {
  readonly title: string;
  readonly entries: readonly CatalogEntry[];
}
