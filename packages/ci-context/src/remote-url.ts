import { webAddress } from './web-address.ts';

/** `user@host:path`, as git writes addresses of ssh. */
const SCP_FORM = /^[\w.-]+@([\w.-]+):(?!\/\/)\/?(.+)$/;
const SECURE_HOSTS = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'dev.azure.com', 'codeberg.org']);

/** Returns the page of a repository for its clone URL. */
export function pageOfRemote(remote: string): string | undefined {
  const scp = SCP_FORM.exec(remote);
  if (scp) return page(`https://${scp[1]}/${scp[2]}`);
  const ssh = /^(?:ssh|git|git\+ssh):\/\//i;
  if (!ssh.test(remote)) return page(remote);
  const address = webAddress(remote.replace(ssh, 'https://'));
  // The port is not that of the web pages.
  return address && page(address.replace(/^(https:\/\/(?:[^/:[]+|\[[^\]]+\])):\d+/, '$1'));
}

function page(text: string): string | undefined {
  const address = webAddress(text);
  if (!address) return undefined;
  const url = new URL(address);
  if (SECURE_HOSTS.has(url.hostname)) url.protocol = 'https:';
  toAzurePage(url);
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  return path === '' ? undefined : `${url.origin}${path}`;
}

/** Azure has another host and path for ssh. */
function toAzurePage(url: URL): void {
  const ssh = /^\/v3\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(url.pathname);
  if (url.hostname !== 'ssh.dev.azure.com' || !ssh) return;
  url.hostname = 'dev.azure.com';
  url.pathname = `/${ssh[1]}/${ssh[2]}/_git/${ssh[3]}`;
}

/** Owner and name in the address of a repository's page. */
export function nameOfPage(url: string): string {
  const path = new URL(url).pathname.slice(1);
  const azure = /^(?:[^/]+\/)?([^/]+)\/_git\/([^/]+)$/.exec(path);
  return decoded(azure ? `${azure[1]}/${azure[2]}` : path);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
