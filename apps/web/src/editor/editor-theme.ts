import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55', fontVariantLigatures: 'none' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--raised) 55%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--raised)', color: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-wash)',
  },
  '.cm-marked-line': { backgroundColor: 'var(--unsure-wash)', boxShadow: 'inset 3px 0 0 var(--unsure)' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', border: '1px solid var(--line)', color: 'var(--ink)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-wash)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--quiet)', fontStyle: 'normal', fontFamily: 'var(--font-sans)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-diagnostic': { borderLeft: '3px solid var(--bad)', fontFamily: 'var(--font-sans)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-error': { content: '"✕"', color: 'var(--bad)', fontSize: '12px' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-wash)' },
  '&.cm-editor .cm-deletedChunk .cm-deletedText, &.cm-merge-b.cm-editor .cm-changedText': {
    background: 'none',
    fontWeight: '600',
  },
  '.cm-deletedChunk .cm-deletedLine::before': { content: '"− "', color: 'var(--bad)' },
  '.cm-changedLine.cm-line': { backgroundColor: 'var(--good-wash)' },
  '.cm-changedLine.cm-line::before': { content: '"+ "', color: 'var(--good)' },
  '.cm-collapsedLines': { background: 'var(--raised)', color: 'var(--quiet)', fontFamily: 'var(--font-sans)' },
  '&.cm-editor .cm-collapsedLines::before, &.cm-editor .cm-collapsedLines::after': { content: '""', margin: '0' },
});

/** Keys in the accent color, comments quiet, the rest as text: other colors are for verdicts. */
const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: 'var(--quiet)' },
]);

/** The content security policy accepts only styles with its nonce. */
function nonce(): Extension {
  const given = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  return given ? EditorView.cspNonce.of(given) : [];
}

export function editorTheme(): Extension {
  return [nonce(), theme, syntaxHighlighting(highlight)];
}

/** A font that loads late wraps lines differently, which would shift the line numbers. */
export function measureAgain(view: EditorView): () => void {
  const observer = new ResizeObserver(() => view.requestMeasure());
  observer.observe(view.contentDOM);
  return () => observer.disconnect();
}
