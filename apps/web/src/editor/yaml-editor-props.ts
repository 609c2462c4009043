import type { RefObject } from 'react';
import type { KnownNames } from './complete-yaml.ts';

export interface YamlEditorProps {
  readonly label: string;
  readonly value: string;
  /** Without it the text can be read only. */
  readonly onChange?: (value: string) => void;
  /** Shown at their place. Lines and columns count from 1. */
  readonly problems?: readonly { readonly line: number; readonly column: number; readonly message: string }[];
  /** The JSON Schema that says what may be written. */
  readonly schema?: unknown;
  readonly names?: KnownNames;
  /** A line to be seen and marked, from 1. */
  readonly line?: number | undefined;
  /** Where the writer wants to go on: each new value takes the cursor there. Both count from 1. */
  readonly cursor?: { readonly line: number; readonly column: number } | undefined;
  /** The id of what explains the field. */
  readonly describedBy?: string;
}

/** Where the cursor was in the plain text when the editor came: who has begun to write goes on there. */
export interface CursorLeft {
  readonly cursorLeft: RefObject<number | undefined>;
}
