import { parseSync, Visitor } from 'oxc-parser';

/** A sentence, a label or a part of one, as a person may read it. */
export interface Prose {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Where a value is put in while the program runs. */
const VALUE = '…';

/** Attributes and calls whose strings are never shown to anybody. */
const HIDDEN_ATTRIBUTES = new Set(['className', 'd', 'href', 'rel', 'to', 'viewBox']);
const HIDDEN_CALLS = new Set(['classes', 'query', 'sql', 'statement', 'raw']);

/** Two words at least, or one that stands alone between two tags. */
const isProse = (text: string) => /\p{L}{2,}/u.test(text) && /\p{L}.*\s.*\p{L}/u.test(text);

/** Returns what people may read of a file: texts of elements, strings and templates, in the order of the file. */
export function stringsIn(file: string, source: string): Prose[] {
  const found: { readonly at: number; readonly text: string }[] = [];
  const hidden: { readonly start: number; readonly end: number }[] = [];
  const hide = ({ start, end }: { readonly start: number; readonly end: number }) => void hidden.push({ start, end });
  const add = (at: number, text: string) => void found.push({ at, text: text.replace(/\s+/g, ' ').trim() });
  new Visitor({
    ImportDeclaration: hide,
    TSLiteralType: hide,
    JSXAttribute(node) {
      if (node.name.type === 'JSXIdentifier' && HIDDEN_ATTRIBUTES.has(node.name.name)) hide(node);
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier' && HIDDEN_CALLS.has(node.callee.name)) hide(node);
    },
    TaggedTemplateExpression: hide,
    JSXText: ({ start, value }) => add(start, value),
    Literal: ({ start, value }) => {
      if (typeof value === 'string') add(start, value);
    },
    TemplateLiteral: ({ start, quasis }) => add(start, quasis.map(({ value }) => value.cooked ?? '').join(VALUE)),
  }).visit(parseSync(file, source).program);
  const isHidden = (at: number) => hidden.some(({ start, end }) => start <= at && at < end);
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  return found
    .filter(({ at, text }) => isProse(text) && !isHidden(at))
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, text }) => ({ file, line: lineAt(at), text }));
}
