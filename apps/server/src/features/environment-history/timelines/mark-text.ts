import type { TimelineMark } from '@waymark/contract';

/** An entry of the journal about an environment. */
export interface MarkEntry {
  readonly type: string;
  readonly actor: string;
  /** In the current version of the type. */
  readonly payload: unknown;
}

interface AtVersion {
  readonly name: string;
  readonly version: number;
}

interface Waiver {
  readonly name: string;
  readonly reason: string;
  readonly expires_at: number | null;
}

const REASON_SHOWN = 200;

type Mark = Pick<TimelineMark, 'kind' | 'text'>;
type Writer<Payload> = (payload: Payload, actor: string) => Mark;

const policy = (text: string): Mark => ({ kind: 'policy', text });
const allowList = (text: string): Mark => ({ kind: 'allow_list', text });
const environment = (text: string): Mark => ({ kind: 'environment', text });

const attached: Writer<{ policies: AtVersion[] }> = ({ policies }, actor) =>
  policy(`${policiesText(policies)} attached by ${actor}`);
const detached: Writer<{ policies: AtVersion[] }> = ({ policies }, actor) =>
  policy(`${policiesText(policies)} detached by ${actor}`);
const listed: Writer<Waiver> = ({ name, reason, expires_at }, actor) =>
  allowList(`${actor} granted a waiver for artifact '${name}'${expiryText(expires_at)}: ${shortened(reason)}`);
const withdrawn: Writer<Waiver> = ({ name }, actor) => allowList(`${actor} withdrew the waiver for artifact '${name}'`);
const expired: Writer<Waiver> = ({ name }) => allowList(`The waiver for artifact '${name}' expired`);
const created: Writer<object> = (_, actor) => environment(`${actor} created the environment`);
const renamed: Writer<{ from: string; to: string }> = ({ from, to }, actor) =>
  environment(`${actor} renamed the environment from '${from}' to '${to}'`);
const updated: Writer<Record<string, unknown>> = ({ name: _, ...changed }, actor) =>
  environment(`${actor} changed settings of the environment: ${listText(Object.keys(changed))}`);
const tagged: Writer<{ set: Record<string, string>; removed: string[] }> = ({ set, removed }, actor) =>
  environment(`${actor} changed tags of the environment: ${listText([...Object.keys(set), ...removed])}`);

const writers = {
  'policy.attached': attached,
  'policy.detached': detached,
  'allow_list.added': listed,
  'allow_list.withdrawn': withdrawn,
  'allow_list.expired': expired,
  'environment.created': created,
  'environment.renamed': renamed,
  'environment.updated': updated,
  'environment.tagged': tagged,
};

/** For an entry whose payload cannot be read. */
export function damagedMark(type: string, actor: string): Mark {
  const [subject = ''] = type.split('.');
  const kind = subject === 'policy' || subject === 'allow_list' ? subject : 'environment';
  return { kind, text: `${actor} recorded ${type}; its content cannot be read` };
}

/** The types of entries that are marked. The index `journal_of_environment` and its migration list the same types. */
export const markedTypes = Object.keys(writers);

/** Undefined for entries that are not marked. */
export function markOf({ type, payload, actor }: MarkEntry): Mark | undefined {
  const write = (writers as Record<string, Writer<never> | undefined>)[type];
  return write?.(payload as never, actor);
}

export function versionMark({ name, version }: AtVersion, actor: string): Mark {
  return policy(`Version ${version} of policy '${name}', created by ${actor}, replaced the previous version`);
}

function policiesText(policies: readonly AtVersion[]): string {
  const named = policies.map(({ name, version }) => `'${name}' (version ${version})`);
  return policies.length === 1 ? `Policy ${named[0]} was` : `Policies ${listText(named)} were`;
}

function listText(items: readonly string[]): string {
  return items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function expiryText(seconds: number | null): string {
  return seconds === null ? '' : ` until ${new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')}`;
}

function shortened(reason: string): string {
  const characters = Array.from(reason);
  return characters.length > REASON_SHOWN ? `${characters.slice(0, REASON_SHOWN).join('')}…` : reason;
}
