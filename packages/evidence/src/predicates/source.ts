import type { Material, SourceFields } from './fields.ts';
import { known, listIn, memberOf, textOf } from './members.ts';

const MATERIALS_SHOWN = 50;
const URI_SHOWN = 300;
const GIT_COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** A repository and a ref, as in `git+https://github.com/acme/web.git@refs/heads/main`. */
export function sourceOfUri(uri: string | undefined): SourceFields {
  if (uri === undefined) return {};
  const plain = uri.replace(/^git\+/, '').replace(/#.*$/, '');
  // A user name ends in @ too: before the host ends, or where there is no scheme, as in git@github.com:acme/web.
  const [, host, path = '', ref] = /^([a-z]+:\/\/[^/]*)([^@]*)(?:@(.+))?$/i.exec(plain) ?? [];
  const named = host === undefined ? plain : `${host}${path}`;
  const repository = named.replace(/\/+$/, '').replace(/\.git$/, '');
  return known({ repository: repository || undefined, ref });
}

/** A source as builders describe it: a URI, or an object with one. */
export function sourceOf(value: unknown): SourceFields {
  const text = textOf(value);
  if (text !== undefined) return sourceOfUri(text);
  const named = sourceOfUri(textOf(value, 'repository') ?? textOf(value, 'uri'));
  return known({ ...named, ref: textOf(value, 'ref') ?? named.ref, commit: commitIn(memberOf(value, 'digest')) });
}

/**
 * The source with the commit that the dependencies have for it. Where several are of one repository and differ, the
 * commit is left out: nobody can tell which of them was built.
 */
export function withCommit(source: SourceFields, dependencies: readonly unknown[]): SourceFields {
  if (source.commit !== undefined) return source;
  const gits = dependencies.flatMap((one) => {
    const commit = commitIn(memberOf(one, 'digest'));
    return commit === undefined ? [] : [{ ...sourceOfUri(textOf(one, 'uri')), commit }];
  });
  const ofRepository = gits.filter(({ repository }) => repository === source.repository);
  const ofRef = ofRepository.filter(({ ref }) => ref === undefined || source.ref === undefined || ref === source.ref);
  const same = source.repository === undefined ? gits : ofRef;
  const [first, ...others] = same;
  if (first === undefined || others.some(({ commit }) => commit !== first.commit)) return source;
  if (source.repository === undefined && others.length > 0) return source;
  return known({ ...first, ...source });
}

export function materialsOf(list: readonly unknown[]): { materials?: Material[]; materialCount?: number } {
  if (list.length === 0) return {};
  const materials = list.slice(0, MATERIALS_SHOWN).map((one) => {
    return known({ uri: textOf(one, 'uri')?.slice(0, URI_SHOWN).toWellFormed(), digest: digestIn(one) });
  });
  return { materials, materialCount: list.length };
}

export function dependenciesOf(definition: unknown): readonly unknown[] {
  return listIn(definition, 'resolvedDependencies');
}

function commitIn(digest: unknown): string | undefined {
  const commit = textOf(digest, 'gitCommit') ?? textOf(digest, 'sha1');
  return commit !== undefined && GIT_COMMIT.test(commit) ? commit : undefined;
}

/** The strongest digest, with its algorithm. */
function digestIn(material: unknown): string | undefined {
  for (const algorithm of ['sha256', 'sha512', 'gitCommit', 'sha1']) {
    const digest = textOf(material, 'digest', algorithm);
    if (digest !== undefined && digest.length <= 200) return `${algorithm}:${digest}`;
  }
  return undefined;
}
