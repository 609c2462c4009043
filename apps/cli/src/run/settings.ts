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
    throw new Error('must be an address such as https://waymark.example.com');
  }
  if (url.username || url.password) throw new Error('must not hold a user or a password');
  if (url.search || url.hash) throw new Error('must be an address without ? and #');
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/api\/v2$/, '')}`;
}

/** The global settings. */
export const globalSettings = {
  host: {
    flags: '--host <url>',
    description: 'address of the Waymark service',
    env: 'WAYMARK_HOST',
    file: 'host',
    context: true,
    read: readHost,
  },
  org: { flags: '--org <name>', description: 'the org', env: 'WAYMARK_ORG', file: 'org', context: true },
  context: { flags: '--context <name>', description: 'a context of yours', env: 'WAYMARK_CONTEXT' },
  tokenFile: {
    flags: '--token-file <file>',
    description: 'file with the key; - is standard input',
    env: 'WAYMARK_TOKEN_FILE',
  },
  token: {
    flags: '--token <key>',
    description: 'the key; better in the variable or in a file, as others can see flags',
    env: 'WAYMARK_TOKEN',
  },
  auth: {
    flags: '--auth <how>',
    description: 'auto, oidc or token: auto exchanges the token of the CI job, if it has one, for a key',
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
  json: { flags: '--json [fields]', description: 'JSON; only these fields, separated by commas, if any are named' },
  jq: { flags: '--jq <expression>', description: 'JSON, filtered by a jq expression' },
  quiet: { flags: '-q, --quiet', description: 'say nothing but results and errors', isSwitch: true },
  verbose: { flags: '-v, --verbose', description: 'say more', isSwitch: true },
  debug: {
    flags: '--debug [what]',
    description: 'say where values come from, and with --debug=api each request',
    env: 'WAYMARK_DEBUG',
  },
  input: {
    flags: '--no-input',
    description: 'never ask',
    env: 'WAYMARK_NO_INPUT',
    isSwitch: true,
    // The flag turns off what the variable names.
    read: (text: string) => !isTrue(text),
    otherwise: true,
  },
  color: {
    flags: '--color <when>',
    description: 'auto, always or never',
    env: 'WAYMARK_COLOR',
    read: oneOf('auto', 'always', 'never'),
    otherwise: 'auto',
  },
  timeout: {
    flags: '--timeout <duration>',
    description: 'how long one request may take, for example 30s',
    env: 'WAYMARK_TIMEOUT',
    read: readDuration,
    otherwise: 30_000,
    otherwiseText: '30s',
  },
  retries: {
    flags: '--retries <number>',
    description: 'how often a request is tried again',
    env: 'WAYMARK_RETRIES',
    read: count,
    otherwise: 3,
  },
  utc: { flags: '--utc', description: 'show times in UTC', isSwitch: true },
  web: { flags: '-w, --web', description: 'open the page about it instead', isSwitch: true },
} as const satisfies Readonly<Record<string, Setting>>;

/** Settings that a command requests. */
export const commandSettings = {
  flow: { flags: '--flow <name>', description: 'the flow', env: 'WAYMARK_FLOW', file: 'flow', context: true },
  trail: {
    flags: '--trail <name>',
    description: 'the trail; the commit that is built unless given',
    env: 'WAYMARK_TRAIL',
    fromCi: (ci: CiContext) => ci.commit,
    otherwiseText: 'the commit that is built',
  },
  dryRun: {
    flags: '--dry-run',
    description: 'let the service check everything, and record nothing',
    env: 'WAYMARK_DRY_RUN',
    isSwitch: true,
    read: isTrue,
  },
  onUnavailable: {
    flags: '--on-unavailable <what>',
    description: 'fail, spool or ignore: what to do when the service cannot be reached',
    env: 'WAYMARK_ON_UNAVAILABLE',
    file: 'on_unavailable',
    read: oneOf('fail', 'spool', 'ignore'),
    otherwise: 'spool',
  },
  strict: {
    flags: '--strict',
    description: 'end with 9 when it was only kept in the spool',
    env: 'WAYMARK_STRICT',
    isSwitch: true,
    read: isTrue,
  },
  yes: { flags: '-y, --yes', description: 'do it without asking', isSwitch: true },
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
    description: 'that key; use the variable or a file instead, as other users can see flags',
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
