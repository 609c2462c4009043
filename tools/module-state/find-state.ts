import { type Expression, type Node, type Program, parseSync, Visitor } from 'oxc-parser';

export interface Finding {
  readonly file: string;
  readonly name: string;
}

const CHANGES = new Set([
  ...['set', 'add', 'delete', 'clear', 'push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill'],
  ...['copyWithin', 'setTime'],
]);

/** Only what comes later can be put into them. */
const ALWAYS_STATE = new Set(['WeakMap', 'WeakSet', 'WeakRef']);

/** Finds variables of a module that are written after it was loaded: `let`, and constants whose content changes. */
export function findState(file: string, text: string): Finding[] {
  const { program } = parseSync(file, text);
  const variables = variablesOf(program);
  const written = writtenIn(program);
  return variables.filter(({ name, isState }) => isState || written.has(name)).map(({ name }) => ({ file, name }));
}

interface Variable {
  readonly name: string;
  readonly isState: boolean;
}

function variablesOf(program: Program): Variable[] {
  return program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'VariableDeclaration') return [];
    return declared.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' ? [{ name: id.name, isState: declared.kind !== 'const' || isAlwaysState(init) }] : [],
    );
  });
}

function isAlwaysState(init: Expression | null): boolean {
  return init?.type === 'NewExpression' && init.callee.type === 'Identifier' && ALWAYS_STATE.has(init.callee.name);
}

/** The names on which anything in the file calls what changes them, or whose members it assigns. */
function writtenIn(program: Program): Set<string> {
  const written = new Set<string>();
  const write = (node: Node) => {
    if (node.type === 'MemberExpression' && node.object.type === 'Identifier') written.add(node.object.name);
  };
  new Visitor({
    CallExpression({ callee }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (CHANGES.has(callee.property.name)) write(callee);
    },
    AssignmentExpression: ({ left }) => write(left),
    UpdateExpression: ({ argument }) => write(argument),
    UnaryExpression: ({ operator, argument }) => (operator === 'delete' ? write(argument) : undefined),
  }).visit(program);
  return written;
}
