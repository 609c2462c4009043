/** The command that lists resources, by the service's name for their kind. */
const LISTS: Readonly<Record<string, string>> = {
  Flow: 'flow list',
  Trail: 'trail list --flow FLOW',
  Artifact: 'artifact list',
  Attestation: 'attestation list',
  'Attestation type': 'attestation-type list',
  Environment: 'env list',
  Policy: 'policy list',
  Control: 'control list',
  'Service account': 'sa list',
  Member: 'member list',
  'Open invitation': 'member invitations',
  Repository: 'repo list',
  Notification: 'notify list',
  'Environment notification': 'notify list',
  'Flow notification': 'notify list',
  Delivery: 'notify deliveries list',
  'Workload identity': 'trust list',
  'Trusted key': 'trust keys list',
  'Trusted identity': 'trust identities list',
  Waiver: 'waiver list',
};

/** Returns what to do about a missing resource, if the message names its kind. */
export function notFoundFix(message: string): string | undefined {
  const command = listFor(message);
  return command && `Check the name and the org; 'waymark ${command}' lists what exists`;
}

function listFor(message: string): string | undefined {
  const [, environment] = /^Snapshot \S+ of '(.+)' does not exist/.exec(message) ?? [];
  if (environment !== undefined) return `env snapshots ${environment}`;
  const [, version] = /^Policy version '(.+)@v\d+' does not exist/.exec(message) ?? [];
  if (version !== undefined) return `policy get ${version}`;
  if (/ no API key '/.test(message)) return 'key list';
  if (/^Artifact .* has no waiver/.test(message)) return 'waiver list';
  const [, kind = ''] = /^([A-Z][a-z -]+) '.*' does not exist/.exec(message) ?? [];
  return Object.hasOwn(LISTS, kind) ? LISTS[kind] : undefined;
}
