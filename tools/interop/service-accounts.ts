import type { Server, Step } from './step.ts';

/** The keys of an account, as the steps come to know them. */
interface Known {
  readonly account: string;
  ids: string[];
}

export function serviceAccounts(run: string): Step[] {
  const known: Known = { account: `${run}-bot`, ids: [] };
  return [...accounts(known), ...keys(known), ...deleting(known), ...refusals(known)];
}

function accounts({ account }: Known): Step[] {
  const create = ['create', 'service-account', account, '--privilege', 'reader', '--description', 'reports'];
  return [
    { args: create, exit: 0, prints: [`service account ${account} was created`] },
    { args: create, exit: 1, prints: [`name:is taken: service account '${account}' already exists`] },
    {
      args: ['get', 'service-account', account],
      exit: 0,
      prints: [
        new RegExp(`^Name: +${account}$`, 'm'),
        /^Description: +reports$/m,
        /^Privilege: +reader$/m,
        /^Created At: +\w{3}, /m,
      ],
    },
    {
      args: ['list', 'service-accounts'],
      exit: 0,
      prints: [new RegExp(`^${account} +reports +reader +\\w{3}, `, 'm')],
    },
    {
      args: ['update', 'service-account', account, '--privilege', 'snapshotter'],
      exit: 0,
      prints: [`service account ${account} was updated`],
    },
    {
      args: ['update', 'service-account', account, '--description', 'reports and more'],
      exit: 0,
      prints: [`service account ${account} was updated`],
    },
    {
      args: ['get', 'service-account', account, '-o', 'json'],
      exit: 0,
      json: {
        name: account,
        display_name: account,
        privilege: 'snapshotter',
        description: 'reports and more',
        for_webhook: false,
      },
    },
  ];
}

function keys(known: Known): Step[] {
  const of = ['--service-account', known.account];
  const first = () => known.ids[0] ?? 'unknown';
  const later = '2099-06-04';
  return [
    {
      args: ['create', 'api-key', ...of, '--description', 'for ever'],
      exit: 0,
      prints: [/^ID: +[0-9a-f-]{36}$/m, /^Key: +wmk_\w{37}$/m, /^Description: +for ever$/m, /^Expires At: +N\/A$/m],
    },
    learn(known),
    {
      args: () => ['get', 'api-key', first(), ...of],
      exit: 0,
      prints: [/^Description: +for ever$/m, /^Expires At: +N\/A$/m, /^Last Used: +N\/A$/m],
    },
    {
      args: () => ['rotate', 'api-key', first(), ...of, '--grace-period-hours', '48'],
      exit: 0,
      prints: [/^Key: +wmk_\w{37}$/m, /^Expires At: +N\/A$/m, /^Old Key Valid Until: +\w{3}, .+ \d{4}/m],
    },
    { args: () => ['rotate', 'api-key', first(), ...of], exit: 1, prints: [/was rotated before, to '[0-9a-f-]{36}'/] },
    {
      args: ['create', 'api-key', ...of, '--description', 'until then', '--expires-at', later, '-o', 'json'],
      exit: 0,
      json: { description: 'until then', expires_at: Date.parse(later) / 1000 },
    },
    {
      args: ['list', 'api-keys', ...of],
      exit: 0,
      prints: [
        /^[0-9a-f-]{36} +until then +.+ +Thu, 04 Jun 2099 .+ +N\/A$/m,
        /^[0-9a-f-]{36} +for ever +.+ +N\/A +N\/A$/m,
      ],
    },
    {
      args: () => ['delete', 'api-key', first(), ...of, '--assume-yes'],
      exit: 0,
      prints: [/./],
    },
    {
      args: () => ['delete', 'api-key', first(), ...of, '--assume-yes'],
      exit: 1,
      prints: [/has no API key '[0-9a-f-]{36}'/],
    },
    {
      args: ['create', 'api-key', ...of, '--description', 'too late', '--expires-at', '1000000000'],
      exit: 1,
      prints: ['expires_at:must be in the future, or 0 for never'],
    },
  ];
}

/** The client prints ids for people; the steps that follow need them. */
function learn(known: Known): Step {
  return {
    does: 'look up the ids of the keys',
    async run(server: Server) {
      const listed = await fetch(`${server.url}/api/v2/service-accounts/acme/${known.account}/api-keys`, {
        headers: { authorization: `Bearer ${server.key}` },
      });
      known.ids = ((await listed.json()) as { id: string }[]).map(({ id }) => id);
      return known.ids.length === 1 ? [] : [`should be 1 key and not ${known.ids.length}`];
    },
  };
}

function deleting({ account }: Known): Step[] {
  const remove = ['delete', 'service-account', account, '--assume-yes'];
  const missing = `Service account '${account}' does not exist in this org`;
  return [
    { args: remove, exit: 0, prints: [account] },
    { args: remove, exit: 1, prints: [missing] },
    { args: ['get', 'service-account', account], exit: 1, prints: [missing] },
    { args: ['list', 'api-keys', '--service-account', account], exit: 1, prints: [missing] },
  ];
}

function refusals({ account }: Known): Step[] {
  const nobody = `${account}-nobody`;
  const missing = `Service account '${nobody}' does not exist in this org`;
  const of = ['--service-account', nobody];
  return [
    { args: ['update', 'service-account', nobody, '--description', 'x'], exit: 1, prints: [missing] },
    { args: ['create', 'api-key', ...of, '--description', 'x'], exit: 1, prints: [missing] },
    { args: ['get', 'api-key', 'none', ...of], exit: 1, prints: [missing] },
    { args: ['rotate', 'api-key', 'none', ...of], exit: 1, prints: [missing] },
    {
      args: ['create', 'service-account', 'not_a_name', '--privilege', 'reader'],
      exit: 1,
      prints: ['name:must have 1 to 64 letters, digits, or hyphens'],
    },
  ];
}
