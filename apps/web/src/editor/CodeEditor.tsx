import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  Prec,
  RangeSetBuilder,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { type KnownNames, proposalsAt } from './complete-yaml.ts';
import { editorTheme, measureAgain } from './editor-theme.ts';
import type { CursorLeft, YamlEditorProps } from './yaml-editor-props.ts';
import { placeIn } from './yaml-place.ts';

interface Known {
  readonly schema: unknown;
  readonly names: KnownNames;
}

function completionFrom(known: () => Known) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const line = state.doc.lineAt(pos);
    const before = state.doc.sliceString(0, Math.max(0, line.from - 1)).split('\n');
    const place = placeIn(line.number === 1 ? [] : before, line.text.slice(0, pos - line.from));
    if (!explicit && place.key === undefined && place.typed === '') return null;
    const { schema, names } = known();
    const options = proposalsAt(place, schema, names).map(({ label, detail, insert }) => ({
      label,
      apply: insert ?? label,
      ...(detail !== undefined && { info: detail }),
    }));
    return options.length === 0 ? null : { from: pos - place.typed.length, options, validFor: /^[\w:*".~-]*$/ };
  };
}

function markedLine(doc: Text, line: number | undefined): Extension {
  if (line === undefined || line > doc.lines) return [];
  const builder = new RangeSetBuilder<Decoration>();
  const { from } = doc.line(line);
  builder.add(from, from, Decoration.line({ class: 'cm-marked-line', attributes: { 'aria-current': 'location' } }));
  return EditorView.decorations.of(builder.finish());
}

/** A position from the server may lie beyond the end of the text as edited since. */
function offsetIn(doc: Text, { line, column }: { readonly line: number; readonly column: number }): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(from + Math.max(column - 1, 0), to);
}

function diagnosticsIn(doc: Text, problems: YamlEditorProps['problems'] = []): Diagnostic[] {
  return problems.map(({ line, column, message }) => {
    const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const start = offsetIn(doc, { line, column });
    const length = /^[\w.~-]+/.exec(text.slice(start - from))?.[0].length ?? 0;
    return { from: start, to: Math.min(to, start + Math.max(length, 1)), severity: 'error', message };
  });
}

/** Marks a change that the page made: it is not reported back as typing. */
const fromPage = Annotation.define<true>();

/** The editor holds the text with line feeds, whatever its line endings are. */
function asHeld(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

const LEAVING_MS = 10_000;

/**
 * Somebody who arrives with Tab may want to move on, so Tab indents only after typing or a click into the text. After
 * Escape the next Tab leaves, even if Escape has closed the completions.
 */
const leaveWithTab: Extension = [
  Prec.highest(
    EditorView.domEventHandlers({
      focus: (_, view) => view.setTabFocusMode(true),
      click: (_, view) => view.setTabFocusMode(false),
      keydown: ({ key }, view) => {
        if (key === 'Escape') view.setTabFocusMode(LEAVING_MS);
        return false;
      },
    }),
  ),
  EditorView.updateListener.of(({ transactions, view }) => {
    if (transactions.some((each) => each.isUserEvent('input') || each.isUserEvent('delete')))
      view.setTabFocusMode(false);
  }),
];

const writing: Extension = [
  leaveWithTab,
  history(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  bracketMatching(),
  lintGutter(),
  keymap.of([...completionKeymap, ...historyKeymap, indentWithTab]),
];
/** The browser would correct the text by itself, with styles that the content security policy refuses. */
const refuseInput: Extension = Prec.highest(EditorView.domEventHandlers({ beforeinput: () => true }));
const reading: Extension = [EditorState.readOnly.of(true), refuseInput];

function goOnAt(editor: EditorView, offset: number | undefined): void {
  if (offset === undefined) return;
  editor.dispatch({ selection: { anchor: Math.min(offset, editor.state.doc.length) }, scrollIntoView: true });
  editor.focus();
}

/** CodeMirror, in a chunk of its own: only pages with a text load it. */
export function CodeEditor(props: YamlEditorProps & CursorLeft) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const current = useRef(props);
  const marked = useRef(new Compartment());
  current.current = props;
  const { label, value, problems, line, cursor, cursorLeft, onChange, describedBy } = props;
  const isReadOnly = onChange === undefined;

  useLayoutEffect(() => {
    if (!place.current) return undefined;
    const known = () => ({ schema: current.current.schema, names: current.current.names ?? {} });
    const editor = new EditorView({
      parent: place.current,
      doc: current.current.value,
      extensions: [
        editorTheme(),
        lineNumbers(),
        drawSelection(),
        yaml(),
        indentUnit.of('  '),
        EditorView.lineWrapping,
        keymap.of(defaultKeymap),
        isReadOnly ? reading : [writing, autocompletion({ override: [completionFrom(known)] })],
        marked.current.of([]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          ...(isReadOnly && { 'aria-readonly': 'true' }),
          ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
        }),
        EditorView.updateListener.of(({ state, transactions }) => {
          const isTyped = transactions.some((each) => each.docChanged && !each.annotation(fromPage));
          if (isTyped) current.current.onChange?.(state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    goOnAt(editor, cursorLeft.current);
    cursorLeft.current = undefined;
    const stopWatching = measureAgain(editor);
    return () => {
      stopWatching();
      view.current = null;
      editor.destroy();
    };
  }, [label, isReadOnly, describedBy, cursorLeft]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === asHeld(value)) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: fromPage.of(true),
    });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || isReadOnly) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsIn(editor.state.doc, problems)));
  }, [problems, isReadOnly]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { doc } = editor.state;
    editor.dispatch({
      effects: [
        marked.current.reconfigure(markedLine(doc, line)),
        ...(line !== undefined && line <= doc.lines
          ? [EditorView.scrollIntoView(doc.line(line).from, { y: 'center' })]
          : []),
      ],
    });
    // The text may arrive after a line of it was requested.
  }, [line, value]);

  useEffect(() => {
    const editor = view.current;
    if (editor && cursor) goOnAt(editor, offsetIn(editor.state.doc, cursor));
  }, [cursor]);

  return <div ref={place} className="[&_.cm-editor]:max-h-[34rem] [&_.cm-editor]:min-h-40" />;
}
