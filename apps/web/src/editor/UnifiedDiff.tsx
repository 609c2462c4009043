import { yaml } from '@codemirror/lang-yaml';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { editorTheme, measureAgain } from './editor-theme.ts';
import type { TextDiffProps } from './text-diff-props.ts';

/** A line break at the end makes no difference. */
const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Both texts in one, what was removed above what was added. */
export function UnifiedDiff({ before, after, label }: TextDiffProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return undefined;
    const editor = new EditorView({
      parent: place.current,
      doc: ended(after),
      extensions: [
        editorTheme(),
        lineNumbers(),
        yaml(),
        EditorView.lineWrapping,
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        unifiedMergeView({
          original: ended(before),
          mergeControls: false,
          collapseUnchanged: { margin: 3, minSize: 4 },
        }),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      ],
    });
    const stopWatching = measureAgain(editor);
    return () => {
      stopWatching();
      editor.destroy();
    };
  }, [before, after, label]);
  return <div ref={place} className="overflow-hidden rounded-md border border-line [&_.cm-editor]:max-h-[34rem]" />;
}
