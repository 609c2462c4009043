import { lazyRouteComponent } from '@tanstack/react-router';
import { type RefObject, Suspense, useId, useLayoutEffect, useRef } from 'react';
import type { KnownNames } from './complete-yaml.ts';

const CodeEditor = lazyRouteComponent(() => import('./CodeEditor.tsx'), 'CodeEditor');

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

/** A YAML text with its structure to be seen. As long as the editor is on its way, the text is there to be worked on. */
export function YamlEditor(props: YamlEditorProps) {
  const help = useId();
  const cursorLeft = useRef<number>(undefined);
  const isEditable = props.onChange !== undefined;
  return (
    <div className="overflow-hidden rounded-md border border-field/60">
      <Suspense fallback={<PlainText {...props} cursorLeft={cursorLeft} />}>
        <CodeEditor {...props} cursorLeft={cursorLeft} {...(isEditable && { describedBy: help })} />
      </Suspense>
      {isEditable && (
        <p id={help} className="border-t border-line bg-raised px-3 py-1 text-[12.5px] text-quiet no-print">
          Ctrl Space proposes what fits. While you write, Tab indents; press Escape first to leave with Tab.
        </p>
      )}
    </div>
  );
}

/** Where the cursor was in the plain text when the editor came: who has begun to write goes on there. */
export interface CursorLeft {
  readonly cursorLeft: RefObject<number | undefined>;
}

function PlainText({ label, value, onChange, cursorLeft }: YamlEditorProps & CursorLeft) {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const shown = area.current;
    return () => {
      cursorLeft.current = shown && document.activeElement === shown ? shown.selectionStart : undefined;
    };
  }, [cursorLeft]);
  return (
    <textarea
      ref={area}
      aria-label={label}
      value={value}
      readOnly={onChange === undefined}
      onChange={({ target }) => onChange?.(target.value)}
      rows={Math.min(24, Math.max(8, value.split('\n').length + 1))}
      spellCheck={false}
      className="block w-full resize-y bg-panel px-3 py-2 font-mono text-[13px]"
    />
  );
}
