import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useId, useLayoutEffect, useRef } from 'react';
import type { CursorLeft, YamlEditorProps } from './yaml-editor-props.ts';

const CodeEditor = lazyRouteComponent(() => import('./CodeEditor.tsx'), 'CodeEditor');

/** A YAML text with its structure highlighted. Until the editor has loaded, a plain text field takes its place. */
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
          Ctrl Space shows suggestions. Tab indents; to leave the editor, press Escape, then Tab.
        </p>
      )}
    </div>
  );
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
