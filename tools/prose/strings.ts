import { parseSync, type TemplateLiteral, Visitor } from 'oxc-parser';

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

/** Tags whose templates are markup that people read. All others are SQL and patterns. */
const MARKUP = 'html';
const STYLES_AND_COMMENTS = /<(style|script)\b[\s\S]*?<\/\1>|<!--[\s\S]*?-->/g;
const INLINE_TAG = /<\/?(?:a|abbr|b|code|em|i|small|span|strong|time|wbr)\b[^>]*>/g;
const TAG = /<[^>]*>/g;

/** Two words at least, or one that stands alone between two tags. */
const isProse = (text: string) => /\p{L}{2,}/u.test(text) && /\p{L}.*\s.*\p{L}/u.test(text);

/** Keeps the place of everything after it. */
const FILLER = '\0';
const BREAK = '\f';
const blank = (text: string) => FILLER.repeat(text.length);

/** Returns the texts between the tags of a template, each with its place in the source. */
function textsOf({ start, end, expressions }: TemplateLiteral, source: string): { at: number; text: string }[] {
  let markup = source.slice(start + 1, end - 1);
  for (const expression of expressions) {
    const from = markup.lastIndexOf('${', expression.start - start - 1);
    const to = markup.indexOf('}', expression.end - start - 1) + 1;
    markup = markup.slice(0, from) + VALUE + blank(markup.slice(from + 1, to)) + markup.slice(to);
  }
  const breaks = (text: string) => BREAK + blank(text.slice(1));
  const plain = markup.replace(STYLES_AND_COMMENTS, breaks).replace(INLINE_TAG, blank).replace(TAG, breaks);
  return [...plain.matchAll(/[^\f]+/g)].map(({ index, 0: text }) => {
    const at = start + 1 + index + text.search(/[^\s\0]|$/);
    return { at, text: text.replaceAll(FILLER, '') };
  });
}

/** Returns what people may read of a file: texts of elements, strings and templates, in the order of the file. */
export function stringsIn(file: string, source: string): Prose[] {
  const found: { readonly at: number; readonly text: string }[] = [];
  const hidden: { readonly start: number; readonly end: number }[] = [];
  const markup = new Set<TemplateLiteral>();
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
    TaggedTemplateExpression(node) {
      if (node.tag.type !== 'Identifier' || node.tag.name !== MARKUP) return hide(node);
      markup.add(node.quasi);
      for (const { at, text } of textsOf(node.quasi, source)) add(at, text);
    },
    JSXText: ({ start, value }) => add(start, value),
    Literal: ({ start, value }) => {
      if (typeof value === 'string') add(start, value);
    },
    TemplateLiteral(node) {
      if (!markup.has(node)) add(node.start, node.quasis.map(({ value }) => value.cooked ?? '').join(VALUE));
    },
  }).visit(parseSync(file, source).program);
  const isHidden = (at: number) => hidden.some(({ start, end }) => start <= at && at < end);
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  return found
    .filter(({ at, text }) => isProse(text) && !isHidden(at))
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, text }) => ({ file, line: lineAt(at), text }));
}
