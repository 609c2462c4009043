import { quoted } from '@waymark/positioned-yaml';
import type { Comparison, Expression } from './ast.ts';
import { COMPARISONS } from './ast.ts';
import { type Fault, Refusal } from './fault.ts';
import type { Token } from './tokens.ts';
import { tokensOf } from './tokens.ts';

export const MAX_EXPRESSION_LENGTH = 4096;
const MAX_NODES = 500;
const DEEPEST = 40;

/** How tightly operators bind; what binds tighter is read first. */
const BINDING = { or: 1, and: 2, not: 3, comparison: 4, operand: 5 } as const;
const KEYWORDS = ['and', 'or', 'not', 'in'];

export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly fault: Fault };

interface Reader {
  readonly tokens: readonly Token[];
  next: number;
  nodes: number;
  depth: number;
}

/** Reads `${{ … }}`. Whether its names mean anything, and whether it is true or false, is checked after that. */
export function parseExpression(text: string): ParsedExpression {
  try {
    return { ok: true, expression: read(text) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, fault: { at: error.at, message: error.message } };
  }
}

function read(text: string): Expression {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    throw new Refusal(0, `An expression may be at most ${MAX_EXPRESSION_LENGTH} characters long.`);
  }
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length - 2;
  if (!text.startsWith('${{', start)) throw new Refusal(start, 'An expression begins with "${{".');
  if (end < start + 3 || !text.startsWith('}}', end)) {
    throw new Refusal(start, 'The expression has no "}}" at its end; put all of it in quotes.');
  }
  const reader = { tokens: tokensOf(text, start + 3, end), next: 0, nodes: 0, depth: 0 };
  if (peek(reader).kind === 'end') throw new Refusal(start, 'There is nothing between "${{" and "}}".');
  const expression = readOperators(reader, BINDING.or);
  const rest = peek(reader);
  if (rest.kind !== 'end') throw new Refusal(rest.at, leftoverMessage(rest));
  return expression;
}

function readOperators(reader: Reader, loosest: number): Expression {
  let left = readOperand(reader, loosest);
  for (;;) {
    const binding = bindingOf(peek(reader));
    if (binding === undefined || binding < loosest) return left;
    left = binding === BINDING.comparison ? readComparison(reader, left) : readChain(reader, left, binding);
  }
}

function bindingOf({ kind, text }: Token): number | undefined {
  if (kind !== 'word' && kind !== 'sign') return undefined;
  if (text === 'or') return BINDING.or;
  if (text === 'and') return BINDING.and;
  return isComparison(text) ? BINDING.comparison : undefined;
}

function isComparison(text: string): text is Comparison {
  return COMPARISONS.some((comparison) => comparison === text);
}

function readComparison(reader: Reader, left: Expression): Expression {
  const { text, at } = take(reader);
  const right = readOperators(reader, BINDING.operand);
  const again = peek(reader);
  if (bindingOf(again) === BINDING.comparison) {
    throw new Refusal(again.at, 'Comparisons cannot be chained; join two of them with "and".');
  }
  return counted(reader, { kind: 'comparison', operator: text as Comparison, left, right, at });
}

function readChain(reader: Reader, first: Expression, binding: number): Expression {
  const { text, at } = peek(reader);
  const operands = [first];
  while (isWord(peek(reader), text)) {
    take(reader);
    operands.push(readOperators(reader, binding + 1));
  }
  return counted(reader, { kind: text === 'or' ? 'or' : 'and', operands, at });
}

function readOperand(reader: Reader, loosest: number): Expression {
  const token = take(reader);
  switch (token.kind) {
    case 'text':
      return counted(reader, { kind: 'text', value: token.text, at: token.at });
    case 'number':
      return counted(reader, { kind: 'number', digits: token.text, at: token.at });
    case 'word':
      return readWord(reader, token, loosest);
    case 'sign':
    case 'end':
      return readBrackets(reader, token);
  }
}

function readWord(reader: Reader, word: Token, loosest: number): Expression {
  const { text, at } = word;
  if (text === 'not') return readNot(reader, word, loosest);
  if (KEYWORDS.includes(text)) throw new Refusal(at, missingMessage(word));
  if (!isSign(peek(reader), '(')) return counted(reader, { kind: 'name', name: text, at });
  const bracket = take(reader);
  return counted(reader, { kind: 'call', name: text, parameters: readList(reader, bracket, ')'), at });
}

function readNot(reader: Reader, { at }: Token, loosest: number): Expression {
  if (loosest > BINDING.not) throw new Refusal(at, 'Put "not" and what follows it in parentheses.');
  const operand = nested(reader, at, () => readOperators(reader, BINDING.not));
  return counted(reader, { kind: 'not', operand, at });
}

function readBrackets(reader: Reader, token: Token): Expression {
  if (isSign(token, '[')) {
    return counted(reader, { kind: 'list', items: readList(reader, token, ']'), at: token.at });
  }
  if (!isSign(token, '(')) throw new Refusal(token.at, missingMessage(token));
  const inner = nested(reader, token.at, () => readOperators(reader, BINDING.or));
  close(reader, token, ')');
  return inner;
}

function readList(reader: Reader, opening: Token, closing: string): Expression[] {
  const items: Expression[] = [];
  if (!isSign(peek(reader), closing)) {
    do items.push(nested(reader, opening.at, () => readOperators(reader, BINDING.or)));
    while (isSign(peek(reader), ',') && take(reader));
  }
  close(reader, opening, closing);
  return items;
}

function close(reader: Reader, opening: Token, closing: string): void {
  const token = take(reader);
  if (isSign(token, closing)) return;
  if (token.kind === 'end') throw new Refusal(opening.at, `This "${opening.text}" has no closing "${closing}".`);
  throw new Refusal(token.at, leftoverMessage(token));
}

function nested(reader: Reader, at: number, readInner: () => Expression): Expression {
  reader.depth++;
  if (reader.depth > DEEPEST) throw new Refusal(at, `An expression may be nested at most ${DEEPEST} levels deep.`);
  const inner = readInner();
  reader.depth--;
  return inner;
}

function counted(reader: Reader, node: Expression): Expression {
  reader.nodes++;
  if (reader.nodes > MAX_NODES) {
    throw new Refusal(node.at, `An expression may have at most ${MAX_NODES} parts; split it into several rules.`);
  }
  return node;
}

function peek({ tokens, next }: Reader): Token {
  return tokens[Math.min(next, tokens.length - 1)] ?? { kind: 'end', text: '', at: 0 };
}

function take(reader: Reader): Token {
  const token = peek(reader);
  reader.next++;
  return token;
}

function isSign({ kind, text }: Token, sign: string): boolean {
  return kind === 'sign' && text === sign;
}

function isWord({ kind, text }: Token, word: string): boolean {
  return kind === 'word' && text === word;
}

function missingMessage(token: Token): string {
  if (token.kind === 'end') return 'The expression breaks off here; something is missing before "}}".';
  return `Something is missing before "${token.text}": a name, a text in quotes, a number or a list.`;
}

function leftoverMessage(token: Token): string {
  const { kind, text } = token;
  if (isWord(token, 'not')) return 'Write "not" in front of the whole comparison, as in: not flow.name in ["a", "b"].';
  if (kind === 'sign') return `This "${text}" has nothing to close, to separate or to compare here.`;
  const small = text.toLowerCase();
  if (kind === 'word' && KEYWORDS.includes(small)) return `Write "${small}" in lower case.`;
  const shown = kind === 'text' ? `the text ${quoted(text)}` : quoted(text);
  return `Before ${shown} something is missing, such as "and", "or", "==" or a bracket that closes.`;
}
