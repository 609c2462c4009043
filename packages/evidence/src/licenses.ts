import parse from 'spdx-expression-parse';
import deprecatedIds from 'spdx-license-ids/deprecated.json' with { type: 'json' };
import ids from 'spdx-license-ids/index.json' with { type: 'json' };

/** A license that components of an SBOM have, possibly beside others, or several that one may choose from. */
export interface License {
  /** An SPDX expression. Null where a component has none, or has text that is no expression. */
  expression: string | null;
  /** The number of components. */
  count: number;
  /** The first ones. */
  components: string[];
}

interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

const LICENSES_MAX = 500;
const COMPONENTS_SHOWN = 3;
const NAME_MAX_LENGTH = 100;

const CANONICAL = new Map([...deprecatedIds, ...ids].map((id) => [id.toLowerCase(), id]));
const IDENTIFIER = /[A-Za-z0-9.-]+/g;

/**
 * Returns what the licenses of components come to, most components first. Undefined where no component has any, or they
 * have more than can be judged.
 */
export function licensesOf(components: readonly Licensed[]): License[] | undefined {
  if (!components.some(({ license }) => license !== undefined)) return undefined;
  const partsOf = new Map<string, readonly (string | null)[]>();
  const licenses = new Map<string | null, License>();
  for (const { name, version, license = '' } of components) {
    const parts = partsOf.get(license) ?? licenseParts(license);
    partsOf.set(license, parts);
    const label = (version === '' ? name : `${name}@${version}`).slice(0, NAME_MAX_LENGTH);
    for (const expression of parts)
      licenses.set(expression, withComponent(licenses.get(expression), expression, label));
    if (licenses.size > LICENSES_MAX) return undefined;
  }
  return [...licenses.values()].sort((one, other) => {
    return other.count - one.count || ((one.expression ?? '') < (other.expression ?? '') ? -1 : 1);
  });
}

function withComponent(known: License | undefined, expression: string | null, label: string): License {
  if (known === undefined) return { expression, count: 1, components: [label] };
  known.count += 1;
  if (known.components.length < COMPONENTS_SHOWN) known.components.push(label);
  return known;
}

/** What all applies: `A AND (B OR C)` has the parts `A` and `B OR C`. Of other text, the licenses that it names, and null. */
function licenseParts(text: string): readonly (string | null)[] {
  const canonical = text.replace(IDENTIFIER, (id) => CANONICAL.get(id.toLowerCase()) ?? id);
  const parsed = expressionIn(canonical);
  if (parsed !== undefined) return [...new Set(conjunction(parsed).map(textOf))].sort();
  const named = (canonical.match(IDENTIFIER) ?? []).filter((id) => CANONICAL.get(id.toLowerCase()) === id);
  return [...[...new Set(named.map((license) => textOf({ license })))].sort(), null];
}

type Expression = ReturnType<typeof parse>;

/** The parser skips characters that it does not know. */
function expressionIn(text: string): Expression | undefined {
  if (!/^[A-Za-z0-9.+:() -]+$/.test(text)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function conjunction(expression: Expression): Expression[] {
  if (!('conjunction' in expression) || expression.conjunction !== 'and') return [expression];
  return [...conjunction(expression.left), ...conjunction(expression.right)];
}

function textOf(expression: Expression): string {
  if ('conjunction' in expression) {
    const { left, right, conjunction: word } = expression;
    const parts = [left, right].map((part) =>
      'conjunction' in part && part.conjunction !== word ? `(${textOf(part)})` : textOf(part),
    );
    return parts.join(` ${word.toUpperCase()} `);
  }
  const { license, plus, exception } = expression;
  return `${currentId(license, plus === true)}${exception === undefined ? '' : ` WITH ${exception}`}`;
}

/** The short ids of GNU licenses are deprecated, since they do not say whether later versions apply. */
function currentId(id: string, plus: boolean): string {
  const isShort = /^([AL]?GPL|GFDL)-\d\.\d$/.test(id);
  const isLater = plus || /^([AL]?GPL|GFDL)-\d\.\d\+$/.test(id);
  if (isLater && /^([AL]?GPL|GFDL)-\d\.\d\+?$/.test(id)) return `${id.replace('+', '')}-or-later`;
  if (isShort) return `${id}-only`;
  return plus ? `${id}+` : id;
}
