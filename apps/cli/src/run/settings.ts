import type { CiContext } from '@waymark/ci-context';
import { readDuration } from './duration.ts';

/** How a value is given and parsed. Throws a message for people. */
interface Setting {
  readonly flags: string;
  readonly description: string;
  readonly env?: string;
  /** Its key in `.waymark.yml`, in a context of the user, or both. */
  readonly file?: string;
  readonly context?: true;
  readonly fromCi?: (ci: CiContext) => { value: string; source: string } | undefined;
  readonly read?: (text: string) => unknown;
  /** Given without a value. */
  readonly isSwitch?: true;
  readonly otherwise?: unknown;
  /** The default shown in help for a computed value. */
  readonly otherwiseText?: string;
}

export const outputFormats = ['table', 'wide', 'json', 'yaml', 'ndjson', 'csv', 'markdown', 'name'] as const;
export type OutputFormat = (typeof outputFormats)[number];

const isTrue = (text: string) => {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new Error('must be true or false');
};

const oneOf =
  <const Choice extends string>(...choices: Choice[]) =>
  (text: string): Choice => {
    const found = choices.find((choice) => choice === text);
    if (found) return found;
    throw new Error(`must be one of ${choices.join(', ')}`);
  };

const count = (text: string) => {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new Error('must be a number from 0 to 999');
};

export function readHost(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new Error('must be a URL such as https://waymark.example.com');
  }
  if (url.username || url.password) throw new Error('must not contain a user name or a password');
  if (url.search || url.hash) throw new Error('must be a URL without ? and #');
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/api\/v2$/, '')}`;
}

/** The global settings. */
export const globalSettings = {
  host: {
    flags: '--host <url>',
    description: 'URL of the Waymark service',
    env: 'WAYMARK_HOST',
    file: 'host',
    context: true,
    read: readHost,
  },
  org: { flags: '--org <name>', description: 'name of the org', env: 'WAYMARK_ORG', file: 'org', context: true },
  context: { flags: '--context <name>', description: 'name of one of your contexts', env: 'WAYMARK_CONTEXT' },
  tokenFile: {
    flags: '--token-file <file>',
    description: 'file with the API key, or - for standard input',
    env: 'WAYMARK_TOKEN_FILE',
  },
  token: {
    flags: '--token <key>',
    description: 'API key; prefer the variable or a file, because other users of the machine can see flags',
    env: 'WAYMARK_TOKEN',
  },
  auth: {
    flags: '--auth <how>',
    description: 'auto, oidc, or token; auto exchanges the identity token of the CI job, if there is one, for a key',
    env: 'WAYMARK_AUTH',
    read: oneOf('auto', 'oidc', 'token'),
    otherwise: 'auto',
  },
  output: {
    flags: '-o, --output <format>',
    description: outputFormats.join(', '),
    env: 'WAYMARK_OUTPUT',
    read: oneOf(...outputFormats),
    otherwise: 'table',
  },
  json: {
    flags: '--json [fields]',
    description: 'print JSON, with only these comma-separated fields if any are named',
  },
  jq: { flags: '--jq <expression>', description: 'print JSON, filtered by a jq expression' },
  quiet: { flags: '-q, --quiet', description: 'print only results and errors', isSwitch: true },
  verbose: { flags: '-v, --verbose', description: 'print more details', isSwitch: true },
  debug: {
    flags: '--debug [what]',
    description: 'print the source of each value, and with --debug=api each request',
    env: 'WAYMARK_DEBUG',
  },
  input: {
    flags: '--no-input',
    description: 'never prompt',
    env: 'WAYMARK_NO_INPUT',
    isSwitch: true,
    // The flag turns off what the variable names.
    read: (text: string) => !isTrue(text),
    otherwise: true,
  },
  color: {
    flags: '--color <when>',
    description: 'auto, always, or never',
    env: 'WAYMARK_COLOR',
    read: oneOf('auto', 'always', 'never'),
    otherwise: 'auto',
  },
  timeout: {
    flags: '--timeout <duration>',
    description: 'timeout of one request, for example 30s',
    env: 'WAYMARK_TIMEOUT',
    read: readDuration,
    otherwise: 30_000,
    otherwiseText: '30s',
  },
  retries: {
    flags: '--retries <number>',
    description: 'maximum number of retries of a request',
    env: 'WAYMARK_RETRIES',
    read: count,
    otherwise: 3,
  },
  utc: { flags: '--utc', description: 'show times in UTC', isSwitch: true },
  web: { flags: '-w, --web', description: 'open the page of the result in the browser instead', isSwitch: true },
} as const satisfies Readonly<Record<string, Setting>>;

/** Settings that a command requests. */
export const commandSettings = {
  flow: { flags: '--flow <name>', description: 'name of the flow', env: 'WAYMARK_FLOW', file: 'flow', context: true },
  trail: {
    flags: '--trail <name>',
    description: 'name of the trail',
    env: 'WAYMARK_TRAIL',
    fromCi: (ci: CiContext) => ci.commit,
    otherwiseText: 'the commit being built',
  },
  dryRun: {
    flags: '--dry-run',
    description: 'let the service check the request without recording anything',
    env: 'WAYMARK_DRY_RUN',
    isSwitch: true,
    read: isTrue,
  },
  onUnavailable: {
    flags: '--on-unavailable <what>',
    description: 'action if the service cannot be reached: fail, spool, or ignore',
    env: 'WAYMARK_ON_UNAVAILABLE',
    file: 'on_unavailable',
    read: oneOf('fail', 'spool', 'ignore'),
    otherwise: 'spool',
  },
  strict: {
    flags: '--strict',
    description: 'exit with 9 if the request was only spooled',
    env: 'WAYMARK_STRICT',
    isSwitch: true,
    read: isTrue,
  },
  yes: { flags: '-y, --yes', description: 'skip the confirmation prompt', isSwitch: true },
  fromHost: {
    flags: '--from-host <url>',
    description: 'address of the service to import from',
    env: 'WAYMARK_FROM_HOST',
    read: readHost,
  },
  fromOrg: { flags: '--from-org <name>', description: 'org to import from', env: 'WAYMARK_FROM_ORG' },
  fromTokenFile: {
    flags: '--from-token-file <file>',
    description: 'file with a key of the service to import from; - is standard input',
    env: 'WAYMARK_FROM_TOKEN_FILE',
  },
  fromToken: {
    flags: '--from-token <key>',
    description:
      'key of the service to import from; prefer the variable or a file, because other users of the machine can see flags',
    env: 'WAYMARK_FROM_TOKEN',
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof commandSettings;
export type AnySettingName = SettingName | keyof typeof globalSettings;

export const settingOf = (name: AnySettingName): Setting =>
  name in globalSettings
    ? globalSettings[name as keyof typeof globalSettings]
    : commandSettings[name as keyof typeof commandSettings];

export interface Settings {
  readonly host?: string;
  readonly org?: string;
  readonly context?: string;
  readonly tokenFile?: string;
  readonly token?: string;
  readonly auth: 'auto' | 'oidc' | 'token';
  readonly output: OutputFormat;
  /** True when no fields were named. */
  readonly json?: string | true;
  readonly jq?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly debug?: string | true;
  readonly input: boolean;
  readonly color: 'auto' | 'always' | 'never';
  readonly timeout: number;
  readonly retries: number;
  readonly utc?: boolean;
  readonly web?: boolean;
  readonly flow?: string;
  readonly trail?: string;
  readonly dryRun?: boolean;
  readonly onUnavailable: 'fail' | 'spool' | 'ignore';
  readonly strict?: boolean;
  readonly yes?: boolean;
  readonly fromHost?: string;
  readonly fromOrg?: string;
  readonly fromTokenFile?: string;
  readonly fromToken?: string;
}
