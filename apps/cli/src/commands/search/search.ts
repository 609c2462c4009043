import { listEnvironments, listFlows, listRepos, searchComponents, searchFindings, searchSha } from '@waymark/contract';
import { formatState, shortDigest } from '../../resources/show.ts';
import { unlessMissing } from '../../resources/unless-missing.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { type Outcome, rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';

/** Of each kind. The list of a kind shows more. */
const MAX_OF_EACH = 20;

export const command = defineCommand({
  description:
    'Five or more hexadecimal digits find artifacts by fingerprint or commit. Other text finds flows, environments, ' +
    'and repositories by part of their name, SBOM components by their full name or package URL, and findings of scans ' +
    'by their id, such as a CVE, or by component.',
  examples: [
    { say: 'By commit or fingerprint', run: 'waymark search 9f14efa' },
    { say: 'By name', run: 'waymark search checkout' },
    { say: 'By vulnerability', run: 'waymark search CVE-2021-44228' },
    { say: 'By SBOM component', run: 'waymark search pkg:npm/left-pad@1.3.0' },
  ],
  build: (command) =>
    command
      .argument('<text>', 'hexadecimal digits, part of a name, or a package URL')
      .option('--text', 'treat digits as a name'),
  async run(session, [text], { text: isText }) {
    if (text.trim() === '')
      throw usageError('TEXT is empty', 'Use hexadecimal digits, part of a name, or a package URL');
    const digits = text.replace(/^sha256:/i, '').toLowerCase();
    if (!isText && /^[0-9a-f]{5,64}$/.test(digits)) return bySha(session, digits);
    return byText(session, text);
  },
});

async function bySha(session: Session, sha: string): Promise<Outcome> {
  const params = { org: session.need('org'), sha };
  const found = await unlessMissing(session.client().call(searchSha, { params, signal: session.io.signal }));
  if (!found) {
    return {
      ...notFound(`No artifact has a fingerprint or commit that begins with ${sha}. Search names with --text.`),
      data: [],
    };
  }
  const { fingerprints, commits } = found.resolved_to;
  const several = [fingerprints, commits].filter(({ count }) => count > 1);
  for (const { type, count } of several) session.say(`${count} ${type}s begin with these digits; give more digits`);
  return {
    data: found,
    rows: rowsOf({
      items: found.artifacts,
      columns: [
        { title: 'state', of: ({ compliance_state }) => compliance_state, format: formatState },
        { title: 'name', of: ({ name }) => name },
        { title: 'fingerprint', of: ({ fingerprint }) => shortDigest(fingerprint) },
        { title: 'trail', of: ({ flow, trail }) => `${flow}/${trail}` },
        { title: 'commit', of: ({ git_commit }) => shortDigest(git_commit) },
        { title: 'runs in', of: ({ running_in }) => running_in.join(', ') },
        { title: 'exited from', of: ({ exited_from }) => exited_from.join(', '), wide: true },
        { title: 'build', of: ({ build_url }) => build_url, wide: true },
      ],
      name: ({ fingerprint }) => fingerprint,
      none: 'These digits do not identify an artifact.',
    }),
  };
}

interface Hit {
  readonly kind: 'flow' | 'environment' | 'repository' | 'component' | 'finding';
  readonly name: string;
  readonly about: string;
}

async function byText(session: Session, text: string): Promise<Outcome> {
  const lists = await Promise.all(
    text.startsWith('pkg:') ? [] : [flows(session, text), environments(session, text), repos(session, text)],
  );
  const hits = [...lists.flat(), ...(await components(session, text)), ...(await findings(session, text))];
  if (hits.length === 0) return { ...notFound(`No results for '${text}'.`), data: [] };
  return {
    data: hits,
    rows: rowsOf({
      items: hits,
      columns: [
        { title: 'kind', of: ({ kind }) => kind },
        { title: 'name', of: ({ name }) => name },
        { title: 'details', of: ({ about }) => about },
      ],
      name: ({ name }) => name,
      none: '',
    }),
  };
}

function notFound(none: string): Outcome {
  return { ending: 'notFound', rows: rowsOf({ items: [] as Hit[], columns: [], name: ({ name }) => name, none }) };
}

async function flows(session: Session, text: string): Promise<Hit[]> {
  // No flow can have another name, and the API refuses to search for one.
  if (!/^[a-zA-Z0-9.\-_~]{1,255}$/.test(text)) return [];
  const found = session.client().items(listFlows, {
    params: { org: session.need('org') },
    query: { search_by_name: text, case_sensitive: 'false', per_page: MAX_OF_EACH },
    signal: session.io.signal,
  });
  return first(session, 'flow list --search', text, found, ({ name, description }) => ({
    kind: 'flow',
    name,
    about: description,
  }));
}

async function environments(session: Session, text: string): Promise<Hit[]> {
  const found = session.client().items(listEnvironments, {
    params: { org: session.need('org') },
    query: { name: text, per_page: MAX_OF_EACH },
    signal: session.io.signal,
  });
  return first(session, 'env list --search', text, found, ({ name, type, compliance }) => ({
    kind: 'environment',
    name,
    about: `${type}, ${compliance}`,
  }));
}

async function repos(session: Session, text: string): Promise<Hit[]> {
  const found = session.client().items(listRepos, {
    params: { org: session.need('org') },
    query: { search: text, per_page: MAX_OF_EACH },
    signal: session.io.signal,
  });
  return first(session, 'repo list --search', text, found, ({ name, url }) => ({
    kind: 'repository',
    name,
    about: url,
  }));
}

async function components(session: Session, text: string): Promise<Hit[]> {
  const { data } = await session.client().call(searchComponents, {
    params: { org: session.need('org') },
    query: { ...(text.startsWith('pkg:') ? { purl: text } : { name: text }), per_page: MAX_OF_EACH },
    signal: session.io.signal,
  });
  return data.map(({ name, version, flow_name, trail_name, artifact_fingerprint }) => ({
    kind: 'component',
    name: `${name} ${version}`,
    about: `in ${flow_name}/${trail_name} ${shortDigest(artifact_fingerprint)}`.trimEnd(),
  }));
}

async function findings(session: Session, text: string): Promise<Hit[]> {
  const isOfComponent = text.startsWith('pkg:');
  if (text.length > (isOfComponent ? 500 : 200)) return [];
  const { data } = await session.client().call(searchFindings, {
    params: { org: session.need('org') },
    query: { ...(isOfComponent ? { component: text } : { id: text }), per_page: MAX_OF_EACH },
    signal: session.io.signal,
  });
  return data.map(({ finding, flow_name, trail_name, artifact_fingerprint }) => {
    const { id, severity, component, fixed_version: fixed } = finding;
    const where = `in ${flow_name}/${trail_name} ${shortDigest(artifact_fingerprint)}`.trimEnd();
    return {
      kind: 'finding',
      name: id,
      about: [severity, component, fixed === null ? null : `fixed in ${fixed}`, where].filter(Boolean).join(', '),
    };
  });
}

async function first<Item>(
  session: Session,
  command: string,
  text: string,
  items: AsyncIterable<Item>,
  hitOf: (item: Item) => Hit,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  for await (const item of items) {
    if (hits.length === MAX_OF_EACH) {
      session.say(`More results: 'waymark ${command} ${text}'`);
      break;
    }
    hits.push(hitOf(item));
  }
  return hits;
}
