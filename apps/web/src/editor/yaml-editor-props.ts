import type { RefObject } from 'react';
import type { KnownNames } from './complete-yaml.ts';

export interface YamlEditorProps {
  readonly label: string;
  readonly value: string;
  /** Without it the text can be read only. */
  readonly onChange?: (value: string) => void;
  /** Shown at their place. Lines and columns count from 1. */
  readonly problems?: readonly { readonly line: number; readonly column: number; readonly message: string }[];
  /** The JSON Schema of the text. */
  readonly schema?: unknown;
  readonly names?: KnownNames;
  /** A line to scroll to and mark, from 1. */
  readonly line?: number | undefined;
  /** Each new value moves the cursor there. Both count from 1. */
  readonly cursor?: { readonly line: number; readonly column: number } | undefined;
  /** The id of the element that describes the field. */
  readonly describedBy?: string;
}

/** Where the cursor was in the plain text field when the editor replaced it, so that typing continues there. */
export interface CursorLeft {
  readonly cursorLeft: RefObject<number | undefined>;
}
