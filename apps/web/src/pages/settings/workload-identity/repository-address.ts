export type Provider = 'github' | 'gitlab';

export interface Repository {
  readonly host: string;
  /** Such as `acme/web`; of GitLab with all its groups. */
  readonly path: string;
  /** Unknown for a host that could be either. */
  readonly provider: Provider | undefined;
}

const SCP = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/)(.+)$/;

/** Accepts what people copy: the address of a page, or a clone URL with https or ssh. */
export function readRepository(address: string): Repository | undefined {
  const text = address.trim();
  const url = /^[a-z+]+:\/\//i.test(text) ? URL.parse(text) : null;
  const scp = url ? null : SCP.exec(text);
  const bare = url ?? (scp ? null : URL.parse(`https://${text}`));
  const host = (url ?? bare)?.hostname ?? scp?.[1] ?? '';
  const provider = providerOf(host);
  const path = repositoryPath((url ?? bare)?.pathname ?? scp?.[2] ?? '', provider);
  if (!host.includes('.') || path === undefined) return undefined;
  return { host: host.toLowerCase(), path, provider };
}

function providerOf(host: string): Provider | undefined {
  if (host === 'github.com' || host.endsWith('.ghe.com') || host.includes('github')) return 'github';
  return host.includes('gitlab') ? 'gitlab' : undefined;
}

/** On GitHub two parts name the repository and the rest is a page; GitLab puts `/-/` before its pages. */
function repositoryPath(text: string, provider: Provider | undefined): string | undefined {
  const parts = (text.split('/-/')[0] ?? '').split('/').filter(Boolean);
  const used = (provider === 'github' ? parts.slice(0, 2) : parts).map((part) => decodePart(part));
  if (used.length < 2 || used.some((part) => !/^[\w.-]+$/.test(part))) return undefined;
  return used.join('/').replace(/\.git$/, '');
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** As in the claim `iss` of its tokens. */
export function issuerOf(provider: Provider, host: string): string {
  if (provider === 'gitlab') return `https://${host}`;
  if (host === 'github.com') return 'https://token.actions.githubusercontent.com';
  if (host.endsWith('.ghe.com')) return `https://token.actions.${host}`;
  return `https://${host}/_services/token`;
}

/** The command that prints the number of the repository: its name alone is not enough. */
export function idCommand(provider: Provider, host: string, path: string): string {
  if (provider === 'gitlab')
    return `glab api ${host === 'gitlab.com' ? '' : `--hostname ${host} `}projects/${encodeURIComponent(path)} | jq .id`;
  return `gh api ${host === 'github.com' ? '' : `--hostname ${host} `}repos/${path} --jq .id`;
}
