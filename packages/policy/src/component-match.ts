interface Component {
  /** Without version, qualifiers, and subpath; in lower case, as no two components differ in case alone. */
  readonly name: string;
  readonly version: string | null;
  readonly qualifiers: ReadonlyMap<string, string>;
}

/**
 * Whether a component is the wanted one: a package URL or a name, where one without a version means every version, and
 * qualifiers that are not given do not matter.
 */
export function isComponent(wanted: string, component: string): boolean {
  if (wanted === component) return true;
  const [one, other] = [partsOf(wanted), partsOf(component)];
  if (one.name !== other.name || (one.version !== null && one.version !== other.version)) return false;
  return [...one.qualifiers].every(([key, value]) => other.qualifiers.get(key) === value);
}

function partsOf(text: string): Component {
  const isPurl = text.startsWith('pkg:');
  const [path = '', query = ''] = isPurl ? (text.split('#', 1)[0] ?? '').split('?', 2) : [text];
  const at = path.lastIndexOf('@');
  const hasVersion = at > path.lastIndexOf('/') + 1;
  return {
    name: decoded(hasVersion ? path.slice(0, at) : path).toLowerCase(),
    version: hasVersion ? decoded(path.slice(at + 1)) : null,
    qualifiers: new Map(
      query.split('&').flatMap((pair) => {
        const [key = '', value = ''] = pair.split('=', 2);
        return key === '' ? [] : [[key.toLowerCase(), decoded(value)] as const];
      }),
    ),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
